#include "locks/zookeeper/client.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <zookeeper/zookeeper.h>

namespace baton::lock {

// A request that the client has accepted. The client answers each once, except those that are open when it closes.
struct zoo_client::pending {
    zoo_client* client;
    call sent;
    std::list<pending>::iterator position;
};

namespace {

std::string text_of(int code)
{
    return std::string("ZooKeeper: ") + zerror(code);
}

zoo_reply reply_of(int code, Stat const* stat)
{
    zoo_reply reply;
    reply.done = code == ZOK;
    if (code != ZOK && code != ZNONODE && code != ZNODEEXISTS && code != ZNOTEMPTY)
        reply.failure = text_of(code);
    if (!stat)
        return reply;
    reply.node.created = stat->czxid;
    reply.node.owner = stat->ephemeralOwner;
    reply.node.created_ms = stat->ctime;
    reply.node.children = stat->numChildren;
    reply.node.version = stat->version;
    return reply;
}

zoo_state state_of(int state)
{
    if (state == ZOO_CONNECTED_STATE)
        return zoo_state::connected;
    if (state == ZOO_EXPIRED_SESSION_STATE)
        return zoo_state::expired;
    return state == ZOO_AUTH_FAILED_STATE ? zoo_state::refused : zoo_state::away;
}

int mode_of(zoo_mode how)
{
    if (how == zoo_mode::persistent)
        return ZOO_PERSISTENT;
    return how == zoo_mode::container ? ZOO_CONTAINER : ZOO_EPHEMERAL_SEQUENTIAL;
}

// The locks report the important events themselves.
void log_line(char const* text)
{
    log::debug("locks", "ZooKeeper client", {log::reason(text)});
}

} // namespace

// The callbacks, which the client calls on its own threads.
struct zoo_client::callbacks {
    static void deliver(void const* data, zoo_reply reply)
    {
        auto const kept = static_cast<pending*>(const_cast<void*>(data));
        kept->client->take(kept)->answer(std::move(reply));
    }
    static void done(int code, void const* data) { deliver(data, reply_of(code, nullptr)); }
    static void synced(int code, char const*, void const* data) { deliver(data, reply_of(code, nullptr)); }
    static void made(int code, char const* path, Stat const* stat, void const* data)
    {
        auto reply = reply_of(code, stat);
        if (path)
            reply.node.path = path;
        deliver(data, std::move(reply));
    }
    static void found(int code, Stat const* stat, void const* data) { deliver(data, reply_of(code, stat)); }
    static void read(int code, char const*, int, Stat const* stat, void const* data) { found(code, stat, data); }
    static void listed(int code, String_vector const* names, void const* data)
    {
        auto reply = reply_of(code, nullptr);
        if (names)
            reply.names.assign(names->data, names->data + names->count);
        deliver(data, std::move(reply));
    }

    static zoo_client const& of(_zhandle* handle) { return *static_cast<zoo_client const*>(zoo_get_context(handle)); }
    static void state_changed(_zhandle* handle, int type, int state, char const*, void*)
    {
        if (type == ZOO_SESSION_EVENT)
            of(handle).events_.state(state_of(state), zoo_client_id(handle)->client_id,
                                     std::chrono::milliseconds{zoo_recv_timeout(handle)});
    }
    static void node_changed(_zhandle* handle, int type, int, char const* path, void*)
    {
        if (type != ZOO_SESSION_EVENT && path)
            of(handle).events_.change(path);
    }
};

zoo_client::zoo_client(std::string const& hosts, duration timeout, zoo_events events) : events_(std::move(events))
{
    zoo_set_debug_level(ZOO_LOG_LEVEL_WARN);
    auto const timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
    handle_ = zookeeper_init2(hosts.c_str(), callbacks::state_changed, static_cast<int>(timeout_ms), nullptr, this,
                              ZOO_NO_LOG_CLIENTENV, log_line);
    if (!handle_)
        throw unavailable("ZooKeeper: no session with " + hosts);
}

zoo_client::~zoo_client()
{
    zookeeper_close(handle_);
    for (auto const& left : pending_)
        left.sent->answer(reply_of(ZCLOSING, nullptr));
}

zoo_client::pending* zoo_client::keep(call sent)
{
    std::lock_guard const lock(mutex_);
    auto const position = pending_.insert(pending_.end(), pending{this, std::move(sent), {}});
    position->position = position;
    return &*position;
}

zoo_client::call zoo_client::take(pending* kept)
{
    std::lock_guard const lock(mutex_);
    auto sent = std::move(kept->sent);
    pending_.erase(kept->position);
    return sent;
}

template <class Request>
zoo_client::call zoo_client::send(Request request)
{
    auto sent = std::make_shared<zoo_call>();
    auto const kept = keep(sent);
    int const code = request(kept);
    if (code == ZOK)
        return sent;
    take(kept);
    throw unavailable(text_of(code));
}

zoo_client::call zoo_client::create(std::string const& path, std::string const& data, zoo_mode how)
{
    return send([&](void const* token) {
        return zoo_acreate2(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE,
                            mode_of(how), callbacks::made, token);
    });
}

zoo_client::call zoo_client::children(std::string const& path)
{
    return send(
        [&](void const* token) { return zoo_aget_children(handle_, path.c_str(), 0, callbacks::listed, token); });
}

zoo_client::call zoo_client::watch_children(std::string const& path)
{
    return send([&](void const* token) {
        return zoo_awget_children(handle_, path.c_str(), callbacks::node_changed, nullptr, callbacks::listed, token);
    });
}

zoo_client::call zoo_client::find(std::string const& path)
{
    return send([&](void const* token) { return zoo_aexists(handle_, path.c_str(), 0, callbacks::found, token); });
}

// Reads the node, since exists() would leave a watch on a missing node, which would never end.
zoo_client::call zoo_client::watch(std::string const& path)
{
    return send([&](void const* token) {
        return zoo_awget(handle_, path.c_str(), callbacks::node_changed, nullptr, callbacks::read, token);
    });
}

zoo_client::call zoo_client::write(std::string const& path, std::string const& data)
{
    return send([&](void const* token) {
        return zoo_aset(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), -1, callbacks::found, token);
    });
}

zoo_client::call zoo_client::remove(std::string const& path)
{
    return send([&](void const* token) { return zoo_adelete(handle_, path.c_str(), -1, callbacks::done, token); });
}

zoo_client::call zoo_client::sync(std::string const& path)
{
    return send([&](void const* token) { return zoo_async(handle_, path.c_str(), callbacks::synced, token); });
}

} // namespace baton::lock
