#include "locks/zookeeper/kind.hpp"

#include "libs/base/error.hpp"
#include "locks/zookeeper/node_name.hpp"
#include "locks/zookeeper/session.hpp"
#include "locks/zookeeper/turn.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>

namespace baton::lock {

namespace {

constexpr duration between_removals = 250ms;
constexpr int most_tries = 5; // to make a node whose parent is removed again and again

// The last place that the server counts to: what comes then is no order any more.
constexpr std::int64_t last_place = std::numeric_limits<std::int32_t>::max();

// What there may be of a acquisition in the store.
struct zoo_trace {
    std::int64_t session = 0; // 0: nothing
    std::string parent;
    std::string tag;  // begins the node's name
    std::string path; // empty: not known
};

// Removes it. True: there was something.
awaitable<bool> remove_trace(zoo_session& in, zoo_trace& of)
{
    if (of.path.empty()) {
        auto const nodes = co_await in.children(of.session, of.parent);
        auto const own = zoo_own(nodes, of.tag);
        if (own.empty())
            co_return false;
        of.path = of.parent + "/" + own;
    }
    co_return co_await in.remove(of.session, of.path);
}

// Until it is certain, or the session is over and has taken it along.
awaitable<void> clear(std::shared_ptr<zoo_session> in, zoo_trace of)
{
    while (in->id() == of.session) {
        try {
            co_await in->connect();
            co_await remove_trace(*in, of);
            co_return;
        } catch (unavailable const&) {
            // Again.
        }
        co_await in->time().sleep_for(between_removals);
    }
}

awaitable<void> make_parent(zoo_session& in, std::string root, std::string name)
{
    for (auto end = root.find('/', 1);; end = root.find('/', end + 1)) {
        auto const part = root.substr(0, end);
        co_await in.create(0, part, zoo_mode::persistent);
        if (end == std::string::npos)
            break;
    }
    if (!name.empty()) {
        auto const whole = root + "/" + name;
        co_await in.create(0, whole, zoo_mode::container);
    }
}

class zoo_acquisition final : public acquisition {
public:
    zoo_acquisition(std::shared_ptr<zoo_session> in, asio::any_io_executor loop, std::string root,
                    random_source& random, acquisition_request request)
        : in_(std::move(in)),
          loop_(std::move(loop)),
          root_(std::move(root)),
          random_(random),
          request_(std::move(request)),
          name_(zoo_escaped(request_.name))
    {}
    // A node that stayed would hold up all who come after it. Any thread.
    ~zoo_acquisition() override { discard(); }

    awaitable<try_result> take() override
    {
        try_result made;
        auto const session = co_await in_->connect();
        if (own_.session != session)
            begin_anew(session);
        for (int tries = 0; tries == 0 || turn_.own.empty(); ++tries) {
            if (tries == most_tries)
                throw unavailable("ZooKeeper: the node of lock " + request_.name + " is removed again and again");
            auto const nodes = co_await look();
            turn_ = zoo_turn_of(nodes, own_.tag);
            if (turn_.own.empty()) // never made, or removed by somebody else
                begin_anew(session);
        }
        in_doubt_ = false;
        own_.path = own_.parent + "/" + turn_.own;
        if (*zoo_place(turn_.own) < 0 || *zoo_place(turn_.own) == last_place)
            throw unavailable("ZooKeeper: the places of lock " + request_.name + " are used up: remove " + own_.parent);
        if (turn_.disagreed != 0) {
            co_await release();
            throw capacity_mismatch(request_.name, request_.share.capacity, turn_.disagreed);
        }
        if (turn_.held)
            made.granted = co_await granted();
        if (turn_.tells)
            in_->touch(own_.session, own_.path, data());
        co_return made;
    }

    awaitable<void> await_change(refusal, instant until) override
    {
        auto const at = std::min(until, in_->time().now() + in_->timeout()); // and look again
        auto const path = own_.parent + "/" + turn_.until_gone + turn_.until_granted;
        if (!turn_.until_gone.empty())
            co_await in_->await_change(own_.session, path, zoo_change::end, at);
        else if (!turn_.until_granted.empty())
            co_await in_->await_change(own_.session, path, zoo_change::touch_or_end, at);
        else if (!turn_.until_any_gone.empty())
            co_await in_->await_departure(own_.session, own_.parent, turn_.until_any_gone, at);
    }

    awaitable<bool> extend() override
    {
        auto const& held = held_; // which nothing changes any more
        if (held.session != in_->id())
            co_return false;
        auto const session = co_await in_->connect();
        if (held.session != session)
            co_return false;
        auto const node = co_await in_->find(held.session, held.path);
        if (!node || !held.is(*node))
            co_return false;
        co_return time_granted() >= held.span; // the server may be another by now, and give a session less
    }

    awaitable<bool> release() override
    {
        auto own = trace();
        if (own.session == 0 || own.session != in_->id())
            co_return false;
        auto const session = co_await in_->connect();
        if (own.session != session)
            co_return false;
        bool const asked_before = std::exchange(removal_sent_, true);
        bool const was_there = co_await remove_trace(*in_, own);
        // Nobody else removes it while the session lives: what is not there any more went by the call without an
        // answer.
        bool const was_held = was_there || asked_before;
        forget();
        co_return was_held;
    }

    void discard() noexcept override
    {
        auto left = forget();
        if (left.session == 0)
            return;
        asio::post(loop_, [in = in_, loop = loop_, left = std::move(left)]() mutable {
            asio::co_spawn(loop, clear(std::move(in), std::move(left)), asio::detached);
        });
    }

private:
    struct held_node {
        std::int64_t session = 0;
        std::string path;
        std::int64_t token = 0;
        duration span{};

        // A path alone says nothing: a node of a session before may still be there.
        bool is(zoo_node const& node) const { return node.owner == session && node.born == token; }
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

    // A tag of its own for each node that may have been asked for: it says in which session, and is drawn anew besides.
    void begin_anew(std::int64_t session)
    {
        char text[64];
        std::snprintf(text, sizeof text, "%016llx%016llx-%llx", static_cast<unsigned long long>(random_.next()),
                      static_cast<unsigned long long>(random_.next()), static_cast<unsigned long long>(session));
        own_ = {session, root_ + "/" + name_, zoo_tag(text, request_.share), {}};
        in_doubt_ = false;
        removal_sent_ = false;
        token_ = 0;
    }

    // The queue, with its own node in it unless somebody has removed that.
    awaitable<std::vector<std::string>> look()
    {
        if (own_.path.empty() && !in_doubt_)
            co_return co_await enter();
        co_return co_await in_->children(own_.session, own_.parent);
    }

    awaitable<std::vector<std::string>> enter()
    {
        in_doubt_ = true; // until there is an answer
        for (int tries = 0; tries < most_tries; ++tries) {
            auto const text = data();
            auto const prefix = own_.tag + "-lock-";
            auto entry = co_await in_->enter(own_.session, own_.parent, prefix, text);
            if (entry) {
                own_.path = entry->made.path;
                token_ = entry->made.born;
                co_return std::move(entry->children);
            }
            co_await make_parent(*in_, root_, name_);
        }
        throw unavailable("ZooKeeper: the node of lock " + request_.name + " has no place");
    }

    std::string data() const { return request_.label + "\n" + request_.owner + "\n"; } // for people

    awaitable<std::optional<grant>> granted()
    {
        std::optional<grant> made;
        if (token_ == 0) {
            auto const node = co_await in_->find(own_.session, own_.path);
            if (!node || node->owner != own_.session)
                throw unavailable("ZooKeeper: the node of lock " + request_.name + " is not of this session");
            token_ = node->born;
        }
        held_ = {own_.session, own_.path, token_, time_granted()};
        made.emplace(token_, false, held_.span);
        co_return made;
    }

    // Half of the session's time. The leader counts it from the last sign of life that a follower has told it of: the
    // client is silent for a third at most, and the follower tells each half tick.
    duration time_granted() const { return std::min(request_.ttl, in_->timeout() / 2); }

    std::shared_ptr<zoo_session> in_;
    asio::any_io_executor loop_;
    std::string root_;
    random_source& random_;
    acquisition_request request_;
    std::string name_;
    std::mutex mutex_; // of this one, once it is granted: a release may meet what forsakes it
    zoo_trace own_;
    bool in_doubt_ = false;     // whether the node was made
    bool removal_sent_ = false; // without an answer yet
    std::int64_t token_ = 0;
    held_node held_; // as it was granted
    zoo_turn turn_;  // as it was last seen
};

class zookeeper_kind final : public lock_kind {
public:
    zookeeper_kind(char const* name, std::shared_ptr<zoo_session> in, asio::any_io_executor loop, std::string root,
                   random_source& random)
        : name_(name), in_(std::move(in)), loop_(std::move(loop)), root_(std::move(root)), random_(random)
    {}

    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    bool on_any_thread() const override { return true; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        return std::make_unique<zoo_acquisition>(in_, loop_, root_, random_, std::move(request));
    }

private:
    std::string name_;
    std::shared_ptr<zoo_session> in_;
    asio::any_io_executor loop_;
    std::string root_;
    random_source& random_;
};

} // namespace

std::unique_ptr<lock_kind> make_zookeeper_kind(char const* name, std::shared_ptr<zoo_session> in,
                                               asio::any_io_executor loop, std::string root, random_source& random)
{
    return std::make_unique<zookeeper_kind>(name, std::move(in), std::move(loop), std::move(root), random);
}

awaitable<void> make_zookeeper_root(zoo_session& in, std::string root)
{
    co_await in.connect();
    std::string const no_name;
    co_await make_parent(in, root, no_name);
}

// Removal is safe at any time: the server refuses it for a node that has children.
awaitable<std::size_t> reap_zookeeper(zoo_session& in, std::string root, duration age)
{
    co_await in.connect();
    auto const now_ms = to_micros(in.time().utc()) / 1'000;
    auto const names = co_await in.children(0, root);
    std::size_t removed = 0;
    for (auto const& name : names) {
        auto const path = root + "/" + name;
        auto const node = co_await in.find(0, path);
        if (!node || node->children != 0 || now_ms - node->made_ms < age / 1ms)
            continue;
        bool const gone = co_await in.remove(0, path);
        removed += gone;
    }
    co_return removed;
}

} // namespace baton::lock
