#include "locks/zookeeper/client.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <zookeeper/zookeeper.h>

namespace baton::lock {

// A request that the client has taken. It answers each once, but when it is closed it forgets what is left.
struct zoo_client::slot {
    zoo_client* of;
    ticket asked;
    std::list<slot>::iterator place;
};

namespace {

std::string text_of(int code)
{
    return std::string("ZooKeeper: ") + zerror(code);
}

zoo_reply reply_of(int code, Stat const* stat)
{
    zoo_reply what;
    what.done = code == ZOK;
    if (code != ZOK && code != ZNONODE && code != ZNODEEXISTS && code != ZNOTEMPTY)
        what.failure = text_of(code);
    if (!stat)
        return what;
    what.node.born = stat->czxid;
    what.node.owner = stat->ephemeralOwner;
    what.node.made_ms = stat->ctime;
    what.node.children = stat->numChildren;
    what.node.touched = stat->version;
    return what;
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

// What matters of it the locks say themselves.
void log_line(char const* text)
{
    log::old::debug("zookeeper client: {}", text);
}

} // namespace

// What the client calls, on threads of its own.
struct zoo_client::answers {
    static void deliver(void const* data, zoo_reply what)
    {
        auto const kept = static_cast<slot*>(const_cast<void*>(data));
        kept->of->take(kept)->answer(std::move(what));
    }
    static void done(int code, void const* data) { deliver(data, reply_of(code, nullptr)); }
    static void synced(int code, char const*, void const* data) { deliver(data, reply_of(code, nullptr)); }
    static void made(int code, char const* path, Stat const* stat, void const* data)
    {
        auto what = reply_of(code, stat);
        if (path)
            what.node.path = path;
        deliver(data, std::move(what));
    }
    static void found(int code, Stat const* stat, void const* data) { deliver(data, reply_of(code, stat)); }
    static void read(int code, char const*, int, Stat const* stat, void const* data) { found(code, stat, data); }
    static void listed(int code, String_vector const* names, void const* data)
    {
        auto what = reply_of(code, nullptr);
        if (names)
            what.names.assign(names->data, names->data + names->count);
        deliver(data, std::move(what));
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
    handle_ = zookeeper_init2(hosts.c_str(), answers::state_changed, static_cast<int>(timeout_ms), nullptr, this,
                              ZOO_NO_LOG_CLIENTENV, log_line);
    if (!handle_)
        throw unavailable("ZooKeeper: no session with " + hosts);
}

zoo_client::~zoo_client()
{
    zookeeper_close(handle_);
    for (auto const& left : waiting_)
        left.asked->answer(reply_of(ZCLOSING, nullptr));
}

zoo_client::slot* zoo_client::keep(ticket asked)
{
    std::lock_guard const lock(mutex_);
    auto const place = waiting_.insert(waiting_.end(), slot{this, std::move(asked), {}});
    place->place = place;
    return &*place;
}

zoo_client::ticket zoo_client::take(slot* kept)
{
    std::lock_guard const lock(mutex_);
    auto asked = std::move(kept->asked);
    waiting_.erase(kept->place);
    return asked;
}

template <class Request>
zoo_client::ticket zoo_client::send(Request request)
{
    auto asked = std::make_shared<zoo_call>();
    auto const kept = keep(asked);
    int const code = request(kept);
    if (code == ZOK)
        return asked;
    take(kept);
    throw unavailable(text_of(code));
}

zoo_client::ticket zoo_client::create(std::string const& path, std::string const& data, zoo_mode how)
{
    return send([&](void const* token) {
        return zoo_acreate2(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE,
                            mode_of(how), answers::made, token);
    });
}

zoo_client::ticket zoo_client::children(std::string const& path)
{
    return send([&](void const* token) { return zoo_aget_children(handle_, path.c_str(), 0, answers::listed, token); });
}

zoo_client::ticket zoo_client::watch_children(std::string const& path)
{
    return send([&](void const* token) {
        return zoo_awget_children(handle_, path.c_str(), answers::node_changed, nullptr, answers::listed, token);
    });
}

zoo_client::ticket zoo_client::find(std::string const& path)
{
    return send([&](void const* token) { return zoo_aexists(handle_, path.c_str(), 0, answers::found, token); });
}

// A watch of a node that is missing would never go away: that is why this reads it, which leaves none then.
zoo_client::ticket zoo_client::watch(std::string const& path)
{
    return send([&](void const* token) {
        return zoo_awget(handle_, path.c_str(), answers::node_changed, nullptr, answers::read, token);
    });
}

zoo_client::ticket zoo_client::write(std::string const& path, std::string const& data)
{
    return send([&](void const* token) {
        return zoo_aset(handle_, path.c_str(), data.data(), static_cast<int>(data.size()), -1, answers::found, token);
    });
}

zoo_client::ticket zoo_client::remove(std::string const& path)
{
    return send([&](void const* token) { return zoo_adelete(handle_, path.c_str(), -1, answers::done, token); });
}

zoo_client::ticket zoo_client::sync(std::string const& path)
{
    return send([&](void const* token) { return zoo_async(handle_, path.c_str(), answers::synced, token); });
}

} // namespace baton::lock
