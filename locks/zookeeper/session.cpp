#include "locks/zookeeper/session.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <set>

namespace baton::lock {

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
    auto const number = ++opened_;
    auto const on_loop = [of = weak_from_this(), loop = parts_.loop](auto heard) {
        asio::post(loop, [of, heard] {
            if (auto const session = of.lock())
                heard(*session);
        });
    };
    zoo_events events;
    events.state = [on_loop, number](zoo_state now, std::int64_t id, duration timeout) {
        on_loop([=](zoo_session& session) { session.heard_state(number, now, id, timeout); });
    };
    events.change = [on_loop](std::string const& path) {
        on_loop([path](zoo_session& session) { session.heard_change(path); });
    };
    auto opened = std::make_unique<zoo_client>(parts_.hosts, parts_.timeout, std::move(events));
    std::lock_guard const lock(mutex_);
    client_ = std::move(opened);
}

void zoo_session::shut()
{
    std::unique_ptr<zoo_client> closed; // after the lock: it takes a while
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

void zoo_session::heard_state(unsigned number, zoo_state now, std::int64_t id, duration timeout)
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
        log::old::warn("locks: the session with ZooKeeper is over: {}",
                       now == zoo_state::expired ? "expired" : "not authenticated");
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

awaitable<std::int64_t> zoo_session::connect()
{
    {
        std::lock_guard const lock(mutex_);
        if (connected_)
            co_return id_;
    }
    auto waits = connect_on_loop(shared_from_this());
    co_return co_await asio::co_spawn(parts_.loop, std::move(waits), asio::use_awaitable);
}

awaitable<std::int64_t> zoo_session::connect_on_loop(std::shared_ptr<zoo_session> me)
{
    auto& time = me->parts_.time;
    auto const until = time.now() + me->parts_.limit;
    listener waits(*me);
    for (;;) {
        me->open(); // or it has expired meanwhile
        if (me->connected_)
            co_return me->id_;
        if (time.now() >= until)
            throw unavailable("ZooKeeper: no connection to " + me->parts_.hosts);
        co_await waits.bell.wait_until(time, until);
    }
}

template <class Request>
auto zoo_session::ask(std::int64_t in, Request request)
{
    std::lock_guard const lock(mutex_);
    if (!client_ || !connected_ || (in != 0 && in != id_))
        throw unavailable(in != 0 && in != id_ ? "ZooKeeper: the session is over"
                                               : "ZooKeeper: the connection is lost");
    return request(*client_);
}

awaitable<zoo_reply> zoo_session::answer_to(zoo_client::ticket asked)
{
    co_return co_await zoo_call::answer_to(std::move(asked), parts_.time, parts_.time.now() + parts_.limit);
}

awaitable<void> zoo_session::create(std::int64_t in, std::string path, zoo_mode how)
{
    auto const asked = ask(in, [&](zoo_client& to) { return to.create(path, "", how); });
    co_await answer_to(asked);
}

// The leader has made the node before its server lists what it knows, which is then all that came before the node: a
// sync would add nothing.
awaitable<std::optional<zoo_entry>> zoo_session::enter(std::int64_t in, std::string parent, std::string name,
                                                       std::string data)
{
    auto const path = parent + "/" + name;
    auto const [asked, behind] = ask(in, [&](zoo_client& to) {
        auto const first = to.create(path, data, zoo_mode::ephemeral_sequential);
        return std::pair(first, to.children(parent));
    });
    auto listed = co_await answer_to(behind);
    auto made = co_await answer_to(asked); // it is there already
    std::optional<zoo_entry> entry;
    if (made.done)
        entry.emplace(zoo_entry{std::move(made.node), std::move(listed.names)});
    co_return entry;
}

awaitable<std::vector<std::string>> zoo_session::children(std::int64_t in, std::string path)
{
    auto const [before, asked] = ask(in, [&](zoo_client& to) {
        auto const first = to.sync(path);
        return std::pair(first, to.children(path));
    });
    auto answer = co_await answer_to(asked);
    co_await answer_to(before); // it is there already
    co_return std::move(answer.names);
}

awaitable<std::optional<zoo_node>> zoo_session::find(std::int64_t in, std::string path)
{
    auto const [before, asked] = ask(in, [&](zoo_client& to) {
        auto const first = to.sync(path);
        return std::pair(first, to.find(path));
    });
    auto answer = co_await answer_to(asked);
    co_await answer_to(before); // it is there already
    std::optional<zoo_node> found;
    if (answer.done) {
        found = std::move(answer.node);
        found->path = std::move(path);
    }
    co_return found;
}

awaitable<bool> zoo_session::remove(std::int64_t in, std::string path)
{
    auto const asked = ask(in, [&](zoo_client& to) { return to.remove(path); });
    auto const answer = co_await answer_to(asked);
    co_return answer.done;
}

void zoo_session::touch(std::int64_t in, std::string const& path, std::string const& data)
{
    try {
        ask(in, [&](zoo_client& to) { return to.write(path, data); });
    } catch (unavailable const&) {
        // Who waits for it looks again some time.
    }
}

// A watch that nobody waits for any more costs little: the client has one a node.
awaitable<void> zoo_session::await_change(std::int64_t in, std::string path, zoo_change what, instant until)
{
    watcher changed(*this, path);
    auto const asked = ask(in, [&](zoo_client& to) { return to.watch(path); });
    auto const answer = co_await answer_to(asked);
    bool const already = !answer.done || (what == zoo_change::touch_or_end && answer.node.touched > 0);
    if (!already)
        co_await changed.bell.wait_until(parts_.time, until);
}

awaitable<void> zoo_session::await_departure(std::int64_t in, std::string path, std::vector<std::string> of,
                                             instant until)
{
    watcher changed(*this, path);
    auto const asked = ask(in, [&](zoo_client& to) { return to.watch_children(path); });
    auto const answer = co_await answer_to(asked);
    std::set<std::string> const there(answer.names.begin(), answer.names.end());
    bool const all = std::all_of(of.begin(), of.end(), [&](std::string const& each) { return there.contains(each); });
    if (all)
        co_await changed.bell.wait_until(parts_.time, until);
}

} // namespace baton::lock
