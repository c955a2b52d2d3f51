#pragma once
// Lock holders in virtual time on a store with scripted answers.

#include "libs/sim/virtual_time.hpp"
#include "locks/core/lock_holder.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <set>

namespace baton::lock::test {

enum class says { yes, no, nothing }; // nothing: the call fails with an unknown effect

struct script {
    std::deque<says> takes, renewals, releases; // yes after the last one
    duration take_lasts{}, renewal_lasts{};
    duration deaf{};          // so long a wait for a change cannot be cancelled
    bool wait_breaks = false; // a wait for a change throws an unexpected error
    int acquisitions = 0;
    int taken = 0, renewed = 0, released = 0, discarded = 0;
    std::int64_t token = 0;
    std::set<std::string> owners;
    std::optional<duration> ttl; // that the store grants
};

inline says next(std::deque<says>& of)
{
    if (of.empty())
        return says::yes;
    auto const first = of.front();
    of.pop_front();
    return first;
}

class scripted final : public acquisition {
public:
    scripted(script& how, time_source& time) : script_(how), time_(time) { ++script_.acquisitions; }
    ~scripted() override { --script_.acquisitions; }

    awaitable<try_result> take() override
    {
        ++script_.taken;
        co_await time_.sleep_for(script_.take_lasts);
        try_result made;
        auto const answer = next(script_.takes);
        if (answer == says::nothing)
            throw unavailable("away");
        if (answer == says::yes)
            made.granted = grant{++script_.token, false, script_.ttl};
        co_return made;
    }
    awaitable<void> await_change(refusal, instant until) override
    {
        if (script_.wait_breaks)
            throw std::runtime_error("no thread");
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await time_.sleep_for(script_.deaf);
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_await time_.sleep_until(std::min(until, time_.now() + 10ms));
    }
    awaitable<bool> extend() override
    {
        ++script_.renewed;
        co_await time_.sleep_for(script_.renewal_lasts);
        auto const answer = next(script_.renewals);
        if (answer == says::nothing)
            throw unavailable("away");
        co_return answer == says::yes;
    }
    awaitable<bool> release() override
    {
        ++script_.released;
        auto const answer = next(script_.releases);
        if (answer == says::nothing)
            throw unavailable("away");
        co_return answer == says::yes;
    }
    void discard() override { ++script_.discarded; }

private:
    script& script_;
    time_source& time_;
};

class scripted_kind final : public lock_kind {
public:
    scripted_kind(script& how, time_source& time) : script_(how), time_(time) {}
    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    std::unique_ptr<acquisition> make_acquisition(acquisition_request request) override
    {
        script_.owners.insert(request.owner);
        return std::make_unique<scripted>(script_, time_);
    }

private:
    script& script_;
    time_source& time_;
    std::string name_ = "scripted";
};

class lock_holder_fixture {
public:
    explicit lock_holder_fixture(lock_options how = {}) : options(std::move(how))
    {
        asio::co_spawn(loop, group.around(stop.wait()), asio::detached);
        time.settle();
    }
    ~lock_holder_fixture()
    {
        stop.wake();
        time.run_for(1h);
    }

    std::shared_ptr<lock_holder> make() { return std::make_shared<lock_holder>(context, "stock", options); }

    // Returns the result of the call, or throws its exception.
    bool lock(lock_holder& by, duration span = 1h, std::stop_token stopped = {})
    {
        return finish(begin_lock(by, span, std::move(stopped)));
    }
    struct pending {
        bool over = false;
        bool granted = false;
        std::exception_ptr failure;
    };
    std::shared_ptr<pending> begin_lock(lock_holder& by, duration span = 1h, std::stop_token stopped = {})
    {
        auto const call = std::make_shared<pending>();
        asio::co_spawn(loop, by.acquire(time.now() + span, std::move(stopped)),
                       [call](std::exception_ptr why, bool granted) {
                           call->over = true;
                           call->failure = std::move(why);
                           call->granted = granted;
                       });
        time.settle();
        return call;
    }
    bool finish(std::shared_ptr<pending> const& call)
    {
        REQUIRE(time.run_until([&] { return call->over; }, 2h));
        if (call->failure)
            std::rethrow_exception(call->failure);
        return call->granted;
    }
    release_result unlock(lock_holder& by)
    {
        std::optional<release_result> got;
        asio::co_spawn(loop, by.release(), [&](std::exception_ptr, release_result how) { got = how; });
        REQUIRE(time.run_until([&] { return got.has_value(); }, 1h));
        return *got;
    }
    bool valid(lock_holder const& by) const
    {
        auto const held = by.current();
        return held && time.now() < held->deadline();
    }

    asio::io_context loop;
    sim::virtual_time time{loop};
    seeded_random random{1};
    script store;
    scripted_kind kind{store, time};
    task_group group{loop.get_executor()};
    waker stop{loop.get_executor()};
    std::stop_source closing;
    post_queue posts{loop.get_executor(), time, group};
    store_context store_parts{loop.get_executor(), nullptr, time, random, group, posts, "me", closing.get_token()};
    lock_context context{store_parts, kind, {}, {}};
    lock_options options;
};

inline lock_options of_three_seconds()
{
    lock_options how;
    how.ttl = 3s;
    return how;
}

} // namespace baton::lock::test
