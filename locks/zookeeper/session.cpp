#include "locks/zookeeper/session.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <set>

namespace baton::lock {

// A wait for a connection.
class zoo_session::connection_waiter {
public:
    explicit connection_waiter(zoo_session& session)
        : changed(session.settings_.loop),
          session_(session),
          position_(session.connection_waiters_.insert(session.connection_waiters_.end(), &changed))
    {}
    ~connection_waiter() { session_.connection_waiters_.erase(position_); }
    connection_waiter(connection_waiter const&) = delete;
    connection_waiter& operator=(connection_waiter const&) = delete;

    waker changed;

private:
    zoo_session& session_;
    std::list<waker*>::iterator position_;
};

// A wait for a change of a node or of its children.
class zoo_session::watcher {
public:
    watcher(zoo_session& session, std::string const& path)
        : changed(session.settings_.loop), session_(session), position_(session.watches_.emplace(path, &changed))
    {}
    ~watcher() { session_.watches_.erase(position_); }
    watcher(watcher const&) = delete;
    watcher& operator=(watcher const&) = delete;

    waker changed;

private:
    zoo_session& session_;
    std::multimap<std::string, waker*>::iterator position_;
};

zoo_session::zoo_session(zoo_session_settings settings) : settings_(std::move(settings)) {}

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
    auto const number = ++opened_;
    auto const on_loop = [weak = weak_from_this(), loop = settings_.loop](auto handle) {
        asio::post(loop, [weak, handle] {
            if (auto const session = weak.lock())
                handle(*session);
        });
    };
    zoo_events events;
    events.state = [on_loop, number](zoo_state now, std::int64_t id, duration timeout) {
        on_loop([=](zoo_session& session) { session.state_changed(number, now, id, timeout); });
    };
    events.change = [on_loop](std::string const& path) {
        on_loop([path](zoo_session& session) { session.node_changed(path); });
    };
    auto opened = std::make_unique<zoo_client>(settings_.hosts, settings_.timeout, std::move(events));
    std::lock_guard const lock(mutex_);
    client_ = std::move(opened);
}

void zoo_session::shut()
{
    std::unique_ptr<zoo_client> closed; // destroyed after the mutex is released, since that takes a while
    std::lock_guard const lock(mutex_);
    closed = std::move(client_);
    connected_ = false;
    id_ = 0;
}

std::int64_t zoo_session::id() const
{
    std::lock_guard const lock(mutex_);
    return id_;
}

duration zoo_session::timeout() const
{
    std::lock_guard const lock(mutex_);
    return timeout_;
}

void zoo_session::state_changed(unsigned number, zoo_state now, std::int64_t id, duration timeout)
{
    if (!client_ || number != opened_)
        return;
    {
        std::lock_guard const lock(mutex_);
        connected_ = now == zoo_state::connected;
        if (connected_) {
            id_ = id;
            timeout_ = timeout;
        }
    }
    if (now == zoo_state::expired || now == zoo_state::refused) {
        log::warn("locks", "the ZooKeeper session has ended, its locks are lost and the next call starts another",
                  {log::reason(now == zoo_state::expired ? "expired" : "not authenticated"), {"session", id_}});
        shut();
        for (auto const& [path, waits] : watches_)
            waits->wake();
    }
    for (auto const waits : connection_waiters_)
        waits->wake();
}

void zoo_session::node_changed(std::string const& path)
{
    auto const [first, last] = watches_.equal_range(path);
    for (auto each = first; each != last; ++each)
        each->second->wake();
}

awaitable<std::int64_t> zoo_session::connect()
{
    {
        std::lock_guard const lock(mutex_);
        if (connected_)
            co_return id_;
    }
    auto waits = connect_on_loop(shared_from_this());
    co_return co_await asio::co_spawn(settings_.loop, std::move(waits), asio::use_awaitable);
}

awaitable<std::int64_t> zoo_session::connect_on_loop(std::shared_ptr<zoo_session> me)
{
    auto& time = me->settings_.time;
    auto const until = time.now() + me->settings_.limit;
    connection_waiter waiter(*me);
    for (;;) {
        me->open(); // again if it has expired meanwhile
        if (me->connected_)
            co_return me->id_;
        if (time.now() >= until)
            throw unavailable("ZooKeeper: no connection to " + me->settings_.hosts);
        co_await waiter.changed.wait_until(time, until);
    }
}

template <class Request>
auto zoo_session::send(std::int64_t session, Request request)
{
    std::lock_guard const lock(mutex_);
    if (!client_ || !connected_ || (session != 0 && session != id_))
        throw unavailable(session != 0 && session != id_ ? "ZooKeeper: the session has ended"
                                                         : "ZooKeeper: the connection is lost");
    return request(*client_);
}

awaitable<zoo_reply> zoo_session::answer_to(zoo_client::call sent)
{
    co_return co_await zoo_call::answer_to(std::move(sent), settings_.time, settings_.time.now() + settings_.limit);
}

awaitable<void> zoo_session::create(std::int64_t session, std::string path, zoo_mode how)
{
    auto const sent = send(session, [&](zoo_client& client) { return client.create(path, "", how); });
    co_await answer_to(sent);
}

// The leader has created the node before the server lists the children, so the list has all nodes that came before it:
// a sync would add nothing.
awaitable<std::optional<zoo_entry>> zoo_session::enter(std::int64_t session, std::string parent, std::string name,
                                                       std::string data)
{
    auto const path = parent + "/" + name;
    auto const [creation, listing] = send(session, [&](zoo_client& client) {
        auto const first = client.create(path, data, zoo_mode::ephemeral_sequential);
        return std::pair(first, client.children(parent));
    });
    auto listed = co_await answer_to(listing);
    auto made = co_await answer_to(creation); // has arrived already
    std::optional<zoo_entry> entry;
    if (made.done)
        entry.emplace(zoo_entry{std::move(made.node), std::move(listed.names)});
    co_return entry;
}

awaitable<std::vector<std::string>> zoo_session::children(std::int64_t session, std::string path)
{
    auto const [synced, read] = send(session, [&](zoo_client& client) {
        auto const first = client.sync(path);
        return std::pair(first, client.children(path));
    });
    auto answer = co_await answer_to(read);
    co_await answer_to(synced); // has arrived already
    co_return std::move(answer.names);
}

awaitable<std::optional<zoo_node>> zoo_session::find(std::int64_t session, std::string path)
{
    auto const [synced, read] = send(session, [&](zoo_client& client) {
        auto const first = client.sync(path);
        return std::pair(first, client.find(path));
    });
    auto answer = co_await answer_to(read);
    co_await answer_to(synced); // has arrived already
    std::optional<zoo_node> found;
    if (answer.done) {
        found = std::move(answer.node);
        found->path = std::move(path);
    }
    co_return found;
}

awaitable<bool> zoo_session::remove(std::int64_t session, std::string path)
{
    auto const sent = send(session, [&](zoo_client& client) { return client.remove(path); });
    auto const answer = co_await answer_to(sent);
    co_return answer.done;
}

void zoo_session::notify(std::int64_t session, std::string const& path, std::string const& data)
{
    try {
        send(session, [&](zoo_client& client) { return client.write(path, data); });
    } catch (unavailable const&) {
        // The waiter looks again by itself later.
    }
}

// The client keeps the watch after the wait; it has at most one per node.
awaitable<void> zoo_session::await_change(std::int64_t session, std::string path, zoo_change change, instant until)
{
    watcher watch(*this, path);
    auto const sent = send(session, [&](zoo_client& client) { return client.watch(path); });
    auto const answer = co_await answer_to(sent);
    bool const already = !answer.done || (change == zoo_change::written_or_removed && answer.node.version > 0);
    if (!already)
        co_await watch.changed.wait_until(settings_.time, until);
}

awaitable<void> zoo_session::await_departure(std::int64_t session, std::string path, std::vector<std::string> watched,
                                             instant until)
{
    watcher watch(*this, path);
    auto const sent = send(session, [&](zoo_client& client) { return client.watch_children(path); });
    auto const answer = co_await answer_to(sent);
    std::set<std::string> const there(answer.names.begin(), answer.names.end());
    bool const all =
        std::all_of(watched.begin(), watched.end(), [&](std::string const& each) { return there.contains(each); });
    if (all)
        co_await watch.changed.wait_until(settings_.time, until);
}

} // namespace baton::lock
