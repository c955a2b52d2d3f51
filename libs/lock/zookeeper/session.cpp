#include "libs/lock/zookeeper/session.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <mutex>
#include <set>
#include <zookeeper/zookeeper.h>

namespace baton::lock {

struct zoo_session::reply {
    int code = ZOK;
    zoo_node node;
    std::vector<std::string> names;
};

struct zoo_session::call {
    explicit call(asio::any_io_executor on) : loop(on), answered(std::move(on)) {}

    asio::any_io_executor loop;
    waker answered;
    std::optional<reply> answer;
};

// What the client's threads may see. It goes only after they have ended.
struct zoo_session::client {
    client(std::weak_ptr<zoo_session> whose, asio::any_io_executor on, unsigned which)
        : of(std::move(whose)), loop(std::move(on)), number(which)
    {}

    std::weak_ptr<zoo_session> of;
    asio::any_io_executor loop;
    unsigned number;
    _zhandle* handle = nullptr;

    // A request that the client has taken. It answers each once, but when it is closed it forgets what is left.
    struct slot {
        client* of;
        ticket asked;
        std::list<slot>::iterator place;
    };
    std::mutex mutex; // of what follows
    std::list<slot> waiting;

    slot* keep(ticket asked)
    {
        std::lock_guard const lock(mutex);
        auto const place = waiting.insert(waiting.end(), slot{this, std::move(asked), {}});
        place->place = place;
        return &*place;
    }
    ticket take(slot* kept)
    {
        std::lock_guard const lock(mutex);
        auto asked = std::move(kept->asked);
        waiting.erase(kept->place);
        return asked;
    }

    static void deliver(void const* data, reply what)
    {
        auto const kept = static_cast<slot*>(const_cast<void*>(data));
        auto asked = kept->of->take(kept);
        auto const loop = asked->loop;
        asio::post(loop, [asked = std::move(asked), what = std::move(what)]() mutable {
            asked->answer = std::move(what);
            asked->answered.wake();
        });
    }
    static void describe(zoo_node& node, Stat const* stat)
    {
        if (!stat)
            return;
        node.born = stat->czxid;
        node.owner = stat->ephemeralOwner;
        node.made_ms = stat->ctime;
        node.children = stat->numChildren;
        node.touched = stat->version;
    }
    static void done(int code, void const* data) { deliver(data, {code, {}, {}}); }
    static void synced(int code, char const*, void const* data) { deliver(data, {code, {}, {}}); }
    static void made(int code, char const* path, Stat const* stat, void const* data)
    {
        reply what{code, {}, {}};
        if (path)
            what.node.path = path;
        describe(what.node, stat);
        deliver(data, std::move(what));
    }
    static void found(int code, Stat const* stat, void const* data)
    {
        reply what{code, {}, {}};
        describe(what.node, stat);
        deliver(data, std::move(what));
    }
    static void read(int code, char const*, int, Stat const* stat, void const* data) { found(code, stat, data); }
    static void listed(int code, String_vector const* names, void const* data)
    {
        reply what{code, {}, {}};
        if (names)
            what.names.assign(names->data, names->data + names->count);
        deliver(data, std::move(what));
    }

    static client* of_handle(_zhandle* handle)
    {
        return static_cast<client*>(const_cast<void*>(zoo_get_context(handle)));
    }
    static void state_changed(_zhandle* handle, int type, int state, char const*, void*)
    {
        if (type != ZOO_SESSION_EVENT)
            return;
        auto const me = of_handle(handle);
        auto const id = zoo_client_id(handle)->client_id;
        auto const timeout_ms = zoo_recv_timeout(handle);
        asio::post(me->loop, [of = me->of, number = me->number, state, id, timeout_ms] {
            if (auto const session = of.lock())
                session->heard_state(number, state, id, timeout_ms);
        });
    }
    static void node_changed(_zhandle* handle, int type, int, char const* path, void*)
    {
        if (type == ZOO_SESSION_EVENT || !path)
            return;
        auto const me = of_handle(handle);
        asio::post(me->loop, [of = me->of, path = std::string(path)] {
            if (auto const session = of.lock())
                session->heard_change(path);
        });
    }
    // What matters of it the locks say themselves.
    static void log_line(char const* text) { log::debug("zookeeper client: {}", text); }
};

// Rings also where its owner was cancelled meanwhile: then nobody hears it.
class zoo_session::listener {
public:
    explicit listener(zoo_session& of)
        : bell(of.parts_.loop), of_(of), place_(of.states_.insert(of.states_.end(), &bell))
    {}
    ~listener() { of_.states_.erase(place_); }
    listener(listener const&) = delete;
    listener& operator=(listener const&) = delete;

    waker bell;

private:
    zoo_session& of_;
    std::list<waker*>::iterator place_;
};

// One that waits for a change of a node or of its children.
class zoo_session::watcher {
public:
    watcher(zoo_session& of, std::string const& path)
        : bell(of.parts_.loop), of_(of), place_(of.watches_.emplace(path, &bell))
    {}
    ~watcher() { of_.watches_.erase(place_); }
    watcher(watcher const&) = delete;
    watcher& operator=(watcher const&) = delete;

    waker bell;

private:
    zoo_session& of_;
    std::multimap<std::string, waker*>::iterator place_;
};

namespace {

std::string text_of(int code)
{
    return std::string("ZooKeeper: ") + zerror(code);
}

// What says something about a node rather than about the way to it.
bool is_verdict(int code)
{
    return code == ZOK || code == ZNONODE || code == ZNODEEXISTS || code == ZNOTEMPTY;
}

} // namespace

zoo_session::zoo_session(zoo_parts parts) : parts_(std::move(parts)) {}

zoo_session::~zoo_session()
{
    close();
}

void zoo_session::close()
{
    shut();
}

void zoo_session::open()
{
    if (client_)
        return;
    zoo_set_debug_level(ZOO_LOG_LEVEL_WARN);
    client_ = std::make_unique<client>(weak_from_this(), parts_.loop, ++opened_);
    auto const timeout_ms = std::chrono::duration_cast<std::chrono::milliseconds>(parts_.timeout).count();
    client_->handle = zookeeper_init2(parts_.hosts.c_str(), client::state_changed, static_cast<int>(timeout_ms),
                                      nullptr, client_.get(), ZOO_NO_LOG_CLIENTENV, client::log_line);
    if (client_->handle)
        return;
    client_.reset();
    throw unavailable("ZooKeeper: no session with " + parts_.hosts);
}

// Waits for the client's threads to end, which takes them three seconds at most.
void zoo_session::shut()
{
    auto const closed = std::move(client_);
    connected_ = false;
    id_ = 0;
    if (!closed)
        return;
    zookeeper_close(closed->handle);
    reply lost;
    lost.code = ZCLOSING;
    for (auto const& left : closed->waiting) {
        left.asked->answer = lost;
        left.asked->answered.wake();
    }
}

void zoo_session::heard_state(unsigned number, int state, std::int64_t id, int timeout_ms)
{
    if (!client_ || number != opened_)
        return;
    connected_ = state == ZOO_CONNECTED_STATE;
    if (connected_) {
        id_ = id;
        timeout_ = std::chrono::milliseconds{timeout_ms};
    } else if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE) {
        log::warn("locks: the session with ZooKeeper is over: {}",
                  state == ZOO_EXPIRED_SESSION_STATE ? "expired" : "not authenticated");
        shut();
        for (auto const& [path, waits] : watches_)
            waits->wake();
    }
    for (auto const waits : states_)
        waits->wake();
}

void zoo_session::heard_change(std::string const& path)
{
    auto const [first, last] = watches_.equal_range(path);
    for (auto each = first; each != last; ++each)
        each->second->wake();
}

awaitable<void> zoo_session::connect()
{
    auto const until = parts_.time.now() + parts_.limit;
    listener waits(*this);
    for (;;) {
        open(); // or it has expired meanwhile
        if (connected_)
            co_return;
        if (parts_.time.now() >= until)
            throw unavailable("ZooKeeper: no connection to " + parts_.hosts);
        co_await waits.bell.wait_until(parts_.time, until);
    }
}

void zoo_session::check(std::int64_t in) const
{
    if (!client_ || !connected_ || (in != 0 && in != id_))
        throw unavailable(in != 0 && in != id_ ? "ZooKeeper: the session is over"
                                               : "ZooKeeper: the connection is lost");
}

template <class Request>
zoo_session::ticket zoo_session::send(Request request)
{
    auto asked = std::make_shared<call>(parts_.loop);
    auto const kept = client_->keep(asked);
    int const code = request(client_->handle, kept);
    if (code == ZOK)
        return asked;
    client_->take(kept);
    throw unavailable(text_of(code));
}

zoo_session::ticket zoo_session::send_sync(std::string const& path)
{
    return send([&](zhandle_t* to, void const* data) { return zoo_async(to, path.c_str(), client::synced, data); });
}

awaitable<zoo_session::reply> zoo_session::answer_to(ticket asked)
{
    auto const until = parts_.time.now() + parts_.limit;
    while (!asked->answer) {
        if (parts_.time.now() >= until)
            throw unavailable("ZooKeeper does not answer");
        co_await asked->answered.wait_until(parts_.time, until);
    }
    if (!is_verdict(asked->answer->code))
        throw unavailable(text_of(asked->answer->code));
    co_return std::move(*asked->answer);
}

// Without the leader's answer, what its follower answered may be old.
awaitable<void> zoo_session::synced(ticket asked)
{
    co_await answer_to(asked);
}

awaitable<std::optional<zoo_node>> zoo_session::create(std::int64_t in, std::string path, std::string data,
                                                       zoo_mode how)
{
    check(in);
    int const mode = how == zoo_mode::persistent  ? ZOO_PERSISTENT
                     : how == zoo_mode::container ? ZOO_CONTAINER
                                                  : ZOO_EPHEMERAL_SEQUENTIAL;
    auto const asked = send([&](zhandle_t* to, void const* token) {
        return zoo_acreate2(to, path.c_str(), data.data(), static_cast<int>(data.size()), &ZOO_OPEN_ACL_UNSAFE, mode,
                            client::made, token);
    });
    auto answer = co_await answer_to(asked);
    std::optional<zoo_node> made;
    if (answer.code == ZOK)
        made = std::move(answer.node);
    co_return made;
}

awaitable<std::vector<std::string>> zoo_session::children(std::int64_t in, std::string path)
{
    check(in);
    auto const before = send_sync(path);
    auto const asked = send(
        [&](zhandle_t* to, void const* data) { return zoo_aget_children(to, path.c_str(), 0, client::listed, data); });
    co_await synced(before);
    auto answer = co_await answer_to(asked);
    co_return std::move(answer.names);
}

awaitable<std::optional<zoo_node>> zoo_session::find(std::int64_t in, std::string path)
{
    check(in);
    auto const before = send_sync(path);
    auto const asked =
        send([&](zhandle_t* to, void const* data) { return zoo_aexists(to, path.c_str(), 0, client::found, data); });
    co_await synced(before);
    auto answer = co_await answer_to(asked);
    std::optional<zoo_node> found;
    if (answer.code == ZOK) {
        found = std::move(answer.node);
        found->path = std::move(path);
    }
    co_return found;
}

awaitable<bool> zoo_session::remove(std::int64_t in, std::string path)
{
    check(in);
    auto const asked =
        send([&](zhandle_t* to, void const* data) { return zoo_adelete(to, path.c_str(), -1, client::done, data); });
    auto const answer = co_await answer_to(asked);
    co_return answer.code == ZOK;
}

void zoo_session::touch(std::int64_t in, std::string const& path, std::string const& data)
{
    try {
        check(in);
        send([&](zhandle_t* to, void const* token) {
            return zoo_aset(to, path.c_str(), data.data(), static_cast<int>(data.size()), -1, client::found, token);
        });
    } catch (unavailable const&) {
        // Who waits for it looks again some time.
    }
}

// A watch of a node that is missing would never go away: that is why this reads it, which leaves none then. One that
// nobody waits for any more costs little: the client has one a node.
awaitable<void> zoo_session::await_change(std::int64_t in, std::string path, zoo_change what, instant until)
{
    check(in);
    watcher changed(*this, path);
    auto const asked = send([&](zhandle_t* to, void const* data) {
        return zoo_awget(to, path.c_str(), client::node_changed, nullptr, client::read, data);
    });
    auto const answer = co_await answer_to(asked);
    bool const already = answer.code != ZOK || (what == zoo_change::touch_or_end && answer.node.touched > 0);
    if (!already)
        co_await changed.bell.wait_until(parts_.time, until);
}

awaitable<void> zoo_session::await_departure(std::int64_t in, std::string path, std::vector<std::string> of,
                                             instant until)
{
    check(in);
    watcher changed(*this, path);
    auto const asked = send([&](zhandle_t* to, void const* data) {
        return zoo_awget_children(to, path.c_str(), client::node_changed, nullptr, client::listed, data);
    });
    auto const answer = co_await answer_to(asked);
    std::set<std::string> const there(answer.names.begin(), answer.names.end());
    bool const all = std::all_of(of.begin(), of.end(), [&](std::string const& each) { return there.contains(each); });
    if (all)
        co_await changed.bell.wait_until(parts_.time, until);
}

} // namespace baton::lock
