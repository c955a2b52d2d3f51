#include "locks/zookeeper/kind.hpp"

#include "libs/base/error.hpp"
#include "locks/zookeeper/node_name.hpp"
#include "locks/zookeeper/queue_position.hpp"
#include "locks/zookeeper/session.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>

namespace baton::lock {

namespace {

constexpr duration removal_pause = 250ms;
constexpr int max_tries = 5; // to create a node whose parent is removed again and again

// The server counts no further; later nodes are not in order.
constexpr std::int64_t last_sequence = std::numeric_limits<std::int32_t>::max();

// The node that an acquisition may have created.
struct zoo_trace {
    std::int64_t session = 0; // 0: none
    std::string parent;
    std::string tag;  // the beginning of the node's name
    std::string path; // empty: unknown
};

// Removes the node. Returns false if there was none.
awaitable<bool> remove_trace(zoo_session& session, zoo_trace& trace)
{
    if (trace.path.empty()) {
        auto const nodes = co_await session.children(trace.session, trace.parent);
        auto const own = zoo_own(nodes, trace.tag);
        if (own.empty())
            co_return false;
        trace.path = trace.parent + "/" + own;
    }
    co_return co_await session.remove(trace.session, trace.path);
}

// Tries until the node is removed for certain, or the session has ended and has removed it.
awaitable<void> remove_in_background(std::shared_ptr<zoo_session> session, zoo_trace trace)
{
    while (session->id() == trace.session) {
        try {
            co_await session->connect();
            co_await remove_trace(*session, trace);
            co_return;
        } catch (unavailable const&) {
            // Tried again after the pause.
        }
        co_await session->time().sleep_for(removal_pause);
    }
}

awaitable<void> make_parent(zoo_session& session, std::string root, std::string name)
{
    for (auto end = root.find('/', 1);; end = root.find('/', end + 1)) {
        auto const part = root.substr(0, end);
        co_await session.create(0, part, zoo_mode::persistent);
        if (end == std::string::npos)
            break;
    }
    if (!name.empty()) {
        auto const whole = root + "/" + name;
        co_await session.create(0, whole, zoo_mode::container);
    }
}

class zoo_acquisition final : public acquisition {
public:
    zoo_acquisition(std::shared_ptr<zoo_session> session, asio::any_io_executor loop, std::string root,
                    random_source& random, acquisition_request request)
        : session_(std::move(session)),
          loop_(std::move(loop)),
          root_(std::move(root)),
          random_(random),
          request_(std::move(request)),
          name_(zoo_escaped(request_.name))
    {}
    // A node that remained would block all later ones. Any thread.
    ~zoo_acquisition() override { discard(); }

    awaitable<try_result> take() override
    {
        try_result made;
        auto const session = co_await session_->connect();
        if (own_.session != session)
            start_over(session);
        for (int tries = 0; tries == 0 || position_.own.empty(); ++tries) {
            if (tries == max_tries)
                throw unavailable("ZooKeeper: the node of lock " + request_.name + " is removed again and again");
            auto const nodes = co_await look();
            position_ = zoo_queue_position_of(nodes, own_.tag);
            if (position_.own.empty()) // never created, or removed by another client
                start_over(session);
        }
        in_doubt_ = false;
        own_.path = own_.parent + "/" + position_.own;
        if (*zoo_sequence(position_.own) < 0 || *zoo_sequence(position_.own) == last_sequence)
            throw unavailable("ZooKeeper: the sequence numbers of lock " + request_.name + " are used up: remove " +
                              own_.parent);
        if (position_.disagreed != 0) {
            co_await release();
            throw capacity_mismatch(request_.name, request_.share.capacity, position_.disagreed);
        }
        if (position_.held)
            made.granted = co_await granted();
        if (position_.must_notify_next)
            session_->notify(own_.session, own_.path, data());
        co_return made;
    }

    awaitable<void> await_change(refusal, instant until) override
    {
        auto const at = std::min(until, session_->time().now() + session_->timeout()); // then looks again
        auto const path = own_.parent + "/" + position_.until_gone + position_.until_granted;
        if (!position_.until_gone.empty())
            co_await session_->await_change(own_.session, path, zoo_change::removed, at);
        else if (!position_.until_granted.empty())
            co_await session_->await_change(own_.session, path, zoo_change::written_or_removed, at);
        else if (!position_.until_any_gone.empty())
            co_await session_->await_departure(own_.session, own_.parent, position_.until_any_gone, at);
    }

    awaitable<bool> extend() override
    {
        auto const& held = held_; // which no longer changes
        if (held.session != session_->id())
            co_return false;
        auto const session = co_await session_->connect();
        if (held.session != session)
            co_return false;
        auto const node = co_await session_->find(held.session, held.path);
        if (!node || !held.is(*node))
            co_return false;
        co_return time_granted() >= held.span; // another server may grant a shorter session
    }

    awaitable<bool> release() override
    {
        auto own = trace();
        if (own.session == 0 || own.session != session_->id())
            co_return false;
        auto const session = co_await session_->connect();
        if (own.session != session)
            co_return false;
        bool const asked_before = std::exchange(removal_sent_, true);
        bool const was_there = co_await remove_trace(*session_, own);
        // Only this session removes the node: if it is gone, an earlier call without an answer has removed it.
        bool const was_held = was_there || asked_before;
        forget();
        co_return was_held;
    }

    void discard() noexcept override
    {
        auto left = forget();
        if (left.session == 0)
            return;
        asio::post(loop_, [session = session_, loop = loop_, left = std::move(left)]() mutable {
            asio::co_spawn(loop, remove_in_background(std::move(session), std::move(left)), asio::detached);
        });
    }

private:
    struct held_node {
        std::int64_t session = 0;
        std::string path;
        std::int64_t token = 0;
        duration span{};

        // The path is not enough: a node of an earlier session may still exist.
        bool is(zoo_node const& node) const { return node.owner == session && node.created == token; }
    };

    zoo_trace trace()
    {
        std::lock_guard const lock(mutex_);
        return own_;
    }
    zoo_trace forget()
    {
        std::lock_guard const lock(mutex_);
        return std::exchange(own_, {});
    }

    // Each node that may have been requested has its own tag: the session and a random number.
    void start_over(std::int64_t session)
    {
        char text[64];
        std::snprintf(text, sizeof text, "%016llx%016llx-%llx", static_cast<unsigned long long>(random_.next()),
                      static_cast<unsigned long long>(random_.next()), static_cast<unsigned long long>(session));
        own_ = {session, root_ + "/" + name_, zoo_tag(text, request_.share), {}};
        in_doubt_ = false;
        removal_sent_ = false;
        token_ = 0;
    }

    // The nodes of the queue, with its own node unless another client has removed it.
    awaitable<std::vector<std::string>> look()
    {
        if (own_.path.empty() && !in_doubt_)
            co_return co_await enter();
        co_return co_await session_->children(own_.session, own_.parent);
    }

    awaitable<std::vector<std::string>> enter()
    {
        in_doubt_ = true; // until the answer
        for (int tries = 0; tries < max_tries; ++tries) {
            auto const text = data();
            auto const prefix = own_.tag + "-lock-";
            auto entry = co_await session_->enter(own_.session, own_.parent, prefix, text);
            if (entry) {
                own_.path = entry->made.path;
                token_ = entry->made.created;
                co_return std::move(entry->children);
            }
            co_await make_parent(*session_, root_, name_);
        }
        throw unavailable("ZooKeeper: the node of lock " + request_.name +
                          " could not be created, since its parent was removed again and again");
    }

    std::string data() const { return request_.label + "\n" + request_.owner + "\n"; } // for administrators

    awaitable<std::optional<grant>> granted()
    {
        std::optional<grant> made;
        if (token_ == 0) {
            auto const node = co_await session_->find(own_.session, own_.path);
            if (!node || node->owner != own_.session)
                throw unavailable("ZooKeeper: the node of lock " + request_.name + " is not of this session");
            token_ = node->created;
        }
        held_ = {own_.session, own_.path, token_, time_granted()};
        made.emplace(token_, false, held_.span);
        co_return made;
    }

    // Half of the session's timeout. The leader counts the timeout from the last heartbeat that a follower reported:
    // the client sends one at least every third of the timeout, and the follower reports every half tick.
    duration time_granted() const { return std::min(request_.ttl, session_->timeout() / 2); }

    std::shared_ptr<zoo_session> session_;
    asio::any_io_executor loop_;
    std::string root_;
    random_source& random_;
    acquisition_request request_;
    std::string name_;
    std::mutex mutex_; // protects own_ once granted: release() and forsake() may overlap
    zoo_trace own_;
    bool in_doubt_ = false;     // it is unknown whether the node was created
    bool removal_sent_ = false; // and not answered
    std::int64_t token_ = 0;
    held_node held_;              // as granted
    zoo_queue_position position_; // as last seen
};

class zookeeper_kind final : public lock_kind {
public:
    zookeeper_kind(char const* name, std::shared_ptr<zoo_session> session, asio::any_io_executor loop, std::string root,
                   random_source& random)
        : name_(name), session_(std::move(session)), loop_(std::move(loop)), root_(std::move(root)), random_(random)
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<zoo_acquisition>(session_, loop_, root_, random_, std::move(request));
    }

private:
    std::string name_;
    std::shared_ptr<zoo_session> session_;
    asio::any_io_executor loop_;
    std::string root_;
    random_source& random_;
};

} // namespace

std::unique_ptr<lock_kind> make_zookeeper_kind(char const* name, std::shared_ptr<zoo_session> session,
                                               asio::any_io_executor loop, std::string root, random_source& random)
{
    return std::make_unique<zookeeper_kind>(name, std::move(session), std::move(loop), std::move(root), random);
}

awaitable<void> make_zookeeper_root(zoo_session& session, std::string root)
{
    co_await session.connect();
    std::string const no_name;
    co_await make_parent(session, root, no_name);
}

// Safe at any time: the server refuses to remove a node that has children.
awaitable<std::size_t> reap_zookeeper(zoo_session& session, std::string root, duration age)
{
    co_await session.connect();
    auto const now_ms = to_micros(session.time().utc()) / 1'000;
    auto const names = co_await session.children(0, root);
    std::size_t removed = 0;
    for (auto const& name : names) {
        auto const path = root + "/" + name;
        auto const node = co_await session.find(0, path);
        if (!node || node->children != 0 || now_ms - node->created_ms < age / 1ms)
            continue;
        bool const gone = co_await session.remove(0, path);
        removed += gone;
    }
    co_return removed;
}

} // namespace baton::lock
