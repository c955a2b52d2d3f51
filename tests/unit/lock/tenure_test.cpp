// What a holder may believe, and when it is told, whatever its store does: in virtual time, on a store that answers as
// the test says.

#include "libs/lock/named/holding.hpp"
#include "libs/sim/virtual_time.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <set>

using namespace baton;
using namespace baton::lock;

namespace {

enum class says { yes, no, nothing }; // nothing: the call fails, and its effect is unknown

struct script {
    std::deque<says> takes, renewals, releases; // then yes
    duration take_lasts{}, renewal_lasts{};
    duration deaf{}; // of one that waits for a change: so long it hears of nothing else
    int contenders = 0;
    int taken = 0, renewed = 0, released = 0, forsaken = 0;
    std::int64_t token = 0;
    std::set<std::string> owners;
    std::optional<duration> ttl; // that it gives
};

says next(std::deque<says>& of)
{
    if (of.empty())
        return says::yes;
    auto const first = of.front();
    of.pop_front();
    return first;
}

class scripted final : public contender {
public:
    scripted(script& how, time_source& time) : how_(how), time_(time) { ++how_.contenders; }
    ~scripted() override { --how_.contenders; }

    awaitable<attempt> take() override
    {
        ++how_.taken;
        co_await time_.sleep_for(how_.take_lasts);
        attempt made;
        auto const answer = next(how_.takes);
        if (answer == says::nothing)
            throw unavailable("away");
        if (answer == says::yes)
            made.granted = grant{++how_.token, false, how_.ttl};
        co_return made;
    }
    awaitable<void> await_change(refusal, instant until) override
    {
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        co_await time_.sleep_for(how_.deaf);
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_await time_.sleep_until(std::min(until, time_.now() + 10ms));
    }
    awaitable<bool> extend() override
    {
        ++how_.renewed;
        co_await time_.sleep_for(how_.renewal_lasts);
        auto const answer = next(how_.renewals);
        if (answer == says::nothing)
            throw unavailable("away");
        co_return answer == says::yes;
    }
    awaitable<bool> release() override
    {
        ++how_.released;
        auto const answer = next(how_.releases);
        if (answer == says::nothing)
            throw unavailable("away");
        co_return answer == says::yes;
    }
    void forsake() override { ++how_.forsaken; }

private:
    script& how_;
    time_source& time_;
};

class scripted_kind final : public kind {
public:
    scripted_kind(script& how, time_source& time) : how_(how), time_(time) {}
    std::string const& name() const override { return name_; }
    guarantee level() const override { return guarantee::fenced; }
    std::unique_ptr<contender> contend(bid offer) override
    {
        how_.owners.insert(offer.owner);
        return std::make_unique<scripted>(how_, time_);
    }

private:
    script& how_;
    time_source& time_;
    std::string name_ = "scripted";
};

class bench {
public:
    explicit bench(lock_options how = {}) : options(std::move(how))
    {
        asio::co_spawn(loop, group.around(stop.wait()), asio::detached);
        time.settle();
    }
    ~bench()
    {
        stop.wake();
        time.run_for(1h);
    }

    std::shared_ptr<holding> make() { return std::make_shared<holding>(shop, "stock", options); }

    // Calls and returns when it is over; throws what it threw.
    bool lock(holding& by, duration span = 1h, std::stop_token stopped = {})
    {
        return finish(begin_lock(by, span, std::move(stopped)));
    }
    struct pending {
        bool over = false;
        bool granted = false;
        std::exception_ptr failure;
    };
    std::shared_ptr<pending> begin_lock(holding& by, duration span = 1h, std::stop_token stopped = {})
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
    release_result unlock(holding& by)
    {
        std::optional<release_result> got;
        asio::co_spawn(loop, by.release(), [&](std::exception_ptr, release_result how) { got = how; });
        REQUIRE(time.run_until([&] { return got.has_value(); }, 1h));
        return *got;
    }
    bool valid(holding const& by) const
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
    inbox soon{loop.get_executor(), time, group};
    workshop shop{kind, loop.get_executor(), nullptr, time, random, group, soon, "me", closing.get_token(), {}, {}};
    lock_options options;
};

lock_options of_three_seconds()
{
    lock_options how;
    how.ttl = 3s;
    return how;
}

} // namespace

TEST_CASE("a grant counts from before it was asked for, and ends before its time in the store")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    bench here(how);
    here.store.take_lasts = 400ms;
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));
    CHECK(here.time.now() == asked + 400ms);
    auto const held = by->current();
    CHECK(held->deadline() == asked + 3s - 3ms - 250ms);
    CHECK(held->deadline() == use_until(asked, 3s));
    here.time.run_for(held->deadline() - here.time.now() - 1us);
    CHECK(here.valid(*by));
    CHECK_FALSE(held->over());
    here.time.run_for(1us);
    CHECK_FALSE(here.valid(*by));
    CHECK(held->over());
    CHECK(here.unlock(*by) == release_result::was_lost);
}

TEST_CASE("the margin of a short time is a tenth of it")
{
    CHECK(use_until(instant{10s}, 100ms) == instant{10s + 100ms - 100us - 10ms});
}

TEST_CASE("a store that gives less time than was asked for is believed")
{
    bench here(of_three_seconds());
    here.store.ttl = 1s;
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));
    CHECK(by->current()->deadline() == use_until(asked, 1s));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 30);
    CHECK(here.valid(*by));
}

TEST_CASE("what ends by the clock is given up when its whole time is over, and what was released never")
{
    auto how = of_three_seconds();
    how.watchdog = false;
    bench here(how);
    auto const by = here.make();
    auto const asked = here.time.now();
    REQUIRE(here.lock(*by));

    SECTION("kept")
    {
        here.time.run_for(asked + 3s - 1us - here.time.now());
        CHECK(by->current()->over());
        CHECK(here.store.forsaken == 0);
        here.time.run_for(1us);
        CHECK(here.store.forsaken == 1);
        here.time.run_for(10s);
        CHECK(here.store.forsaken == 1);
        CHECK(here.unlock(*by) == release_result::was_lost);
    }
    SECTION("released in time, or between its end for the holder and for others")
    {
        here.time.run_for(GENERATE(duration{1s}, duration{2900ms}));
        here.unlock(*by);
        here.time.run_for(10s);
        CHECK(here.store.forsaken == 0);
        CHECK(here.store.released == 1);
    }
}

TEST_CASE("a watchdog renews a third of the time after it last asked, for as long as the lock is held")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 10);
    CHECK(here.valid(*by));
    CHECK(here.unlock(*by) == release_result::released);
    here.time.run_for(10s);
    CHECK(here.store.renewed == 10);
    CHECK(here.store.released == 1);
}

TEST_CASE("a renewal that finds the lock with another ends it at once, and for good")
{
    bench here(of_three_seconds());
    here.store.renewals = {says::yes, says::no};
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const held = by->current();
    bool told = false;
    std::stop_callback const watch(held->lost(), [&] { told = true; });
    here.time.run_for(1500ms);
    CHECK_FALSE(told);
    here.time.run_for(500ms);
    CHECK(told);
    CHECK_FALSE(here.valid(*by));
    here.time.run_for(10s);
    CHECK(here.store.renewed == 2);
    CHECK(here.unlock(*by) == release_result::was_lost);
    CHECK(here.shop.counted.lost == 1);
}

TEST_CASE("a store that does not answer is asked again, and the lock ends by the clock while a call still hangs")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const asked = here.time.now();

    SECTION("an answer in time keeps it")
    {
        here.store.renewals = {says::nothing, says::nothing, says::yes};
        here.time.run_for(10s);
        CHECK(here.valid(*by));
    }
    SECTION("one that comes too late does not bring it back")
    {
        here.store.renewal_lasts = 5s;
        here.time.run_for(use_until(asked, 3s) - here.time.now());
        CHECK_FALSE(here.valid(*by));
        CHECK(by->current()->over());
        here.time.run_for(10s);
        CHECK_FALSE(here.valid(*by));
        CHECK(here.store.renewed == 1);
    }
    CHECK(here.unlock(*by) != release_result::unknown);
}

TEST_CASE("a renewal extends from before it was sent, not from its answer")
{
    bench here(of_three_seconds());
    here.store.renewal_lasts = 900ms;
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const asked = here.time.now();
    here.time.run_for(1950ms); // sent at 1 s, answered at 1.9
    CHECK(here.store.renewed == 1);
    CHECK(by->current()->deadline() == use_until(asked + 1s, 3s));
}

TEST_CASE("a hold that is forgotten ends: the watchdog renews no longer than max_hold")
{
    auto how = of_three_seconds();
    how.max_hold = 5s;
    bench here(how);
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.time.run_for(5s);
    CHECK(here.valid(*by));
    here.time.run_for(3s);
    CHECK_FALSE(here.valid(*by));
}

TEST_CASE("an answer that took as long as the lock's time grants nothing")
{
    bench here(of_three_seconds());
    here.store.take_lasts = 2900ms;
    auto const by = here.make();
    auto const call = here.begin_lock(*by, 5s);
    here.time.run_for(2901ms);
    CHECK_FALSE(call->over);
    CHECK_FALSE(here.valid(*by));
    CHECK(here.store.released == 1); // it is given back rather than left to expire
    here.store.take_lasts = 0ms;
    CHECK(here.finish(call));
    CHECK(by->current()->token() == 2);
    CHECK(here.store.owners.size() == 2); // so that the release of the one is not that of the other
}

TEST_CASE("a wait ends at its time, and tells whether the store was away")
{
    bench here(of_three_seconds());
    auto const by = here.make();

    SECTION("refused")
    {
        here.store.takes.assign(1'000, says::no);
        auto const began = here.time.now();
        CHECK_FALSE(here.lock(*by, 1s));
        CHECK(here.time.now() == began + 1s);
        CHECK(here.store.released == 0);
    }
    SECTION("away: and what a try without an answer may have left is given back")
    {
        here.store.takes.assign(1'000, says::nothing);
        CHECK_THROWS_AS(here.lock(*by, 1s), std::system_error);
        here.time.run_for(1s);
        CHECK(here.store.released == 1);
    }
    SECTION("refused, after a try without an answer: that one is given back as well")
    {
        here.store.takes.assign(1'000, says::no);
        here.store.takes.front() = says::nothing;
        CHECK_FALSE(here.lock(*by, 1s));
        here.time.run_for(1s);
        CHECK(here.store.released == 1);
    }
    SECTION("one look")
    {
        here.store.takes = {says::no};
        CHECK_FALSE(here.lock(*by, 0ms));
        CHECK(here.store.taken == 1);
    }
    CHECK(here.shop.counted.refused == 1);
    here.store.takes.clear();
    CHECK(here.lock(*by));
}

TEST_CASE("who waits can be stopped, by its caller and by the end of the store")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    here.store.takes.assign(1'000'000, says::no);
    std::stop_source caller;
    auto const call = here.begin_lock(*by, 1h, caller.get_token());
    here.time.run_for(1s);
    CHECK_FALSE(call->over);
    GENERATE(0, 1) == 0 ? caller.request_stop() : here.closing.request_stop();
    here.time.settle();
    REQUIRE(call->over);
    try {
        std::rethrow_exception(call->failure);
    } catch (std::system_error const& failure) {
        CHECK(failure.code() == lock_errc::cancelled);
    }
}

TEST_CASE(
    "who is stopped while it sleeps in the store leaves at once, and nothing of it is given back before that is over")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    here.store.takes.assign(1'000'000, says::no);
    std::stop_source caller;

    SECTION("there is nothing to give back")
    {
        here.store.deaf = 1s;
        auto const call = here.begin_lock(*by, 1h, caller.get_token());
        here.time.run_for(100ms);
        caller.request_stop();
        here.time.settle();
        CHECK(call->over);
        CHECK(here.store.contenders == 1); // what it has asked for goes on
        here.time.run_for(1s);
        CHECK(here.store.contenders == 0);
        CHECK(here.store.released == 0);
    }
    SECTION("a try before had no answer")
    {
        here.store.takes.front() = says::nothing;
        auto const call = here.begin_lock(*by, 1h, caller.get_token());
        here.store.deaf = 1s;
        here.time.run_for(500ms);
        REQUIRE(here.store.taken == 2);
        caller.request_stop();
        here.time.settle();
        CHECK(here.store.released == 0);
        here.time.run_for(1s);
        CHECK(call->over);
        CHECK(here.store.released == 1);
    }
}

TEST_CASE("what is granted to one who has stopped waiting is given back")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    here.store.take_lasts = 400ms;
    std::stop_source caller;
    auto const call = here.begin_lock(*by, 1h, caller.get_token());
    here.time.run_for(100ms);
    caller.request_stop();
    CHECK_THROWS_AS(here.finish(call), std::system_error);
    CHECK(by->current() == nullptr);
    here.time.run_for(1s);
    CHECK(here.store.released == 1);
    here.store.take_lasts = 0ms;
    CHECK(here.lock(*by));
}

TEST_CASE("those who share an object take turns in the order in which they came")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const second = here.begin_lock(*by);
    auto const third = here.begin_lock(*by);
    here.time.run_for(1s);
    CHECK_FALSE(second->over);
    CHECK(here.store.taken == 1); // nobody asks the store for what is held here
    CHECK(here.unlock(*by) == release_result::released);
    CHECK(here.finish(second));
    CHECK_FALSE(third->over);
    CHECK(here.unlock(*by) == release_result::released);
    CHECK(here.finish(third));
    CHECK(by->current()->token() == 3);
}

TEST_CASE("one who gives up waiting for its turn leaves it to those behind")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    auto const second = here.begin_lock(*by, 1s);
    auto const third = here.begin_lock(*by);
    CHECK_FALSE(here.finish(second));
    here.unlock(*by);
    CHECK(here.finish(third));
}

TEST_CASE("a reentrant holder counts, and gives back with the last unlock")
{
    auto how = of_three_seconds();
    how.reentrant = true;
    bench here(how);
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    REQUIRE(here.lock(*by));
    CHECK(by->current()->token() == 1);
    CHECK(here.unlock(*by) == release_result::released);
    CHECK(here.valid(*by));
    CHECK(here.store.released == 0);

    SECTION("it is free after as many")
    {
        CHECK(here.unlock(*by) == release_result::released);
        CHECK(here.store.released == 1);
        CHECK(by->current() == nullptr);
    }
    SECTION("what was lost is not entered again")
    {
        here.store.renewals = {says::no};
        here.time.run_for(2s);
        CHECK_THROWS_AS(here.lock(*by), std::system_error);
        CHECK(here.unlock(*by) == release_result::was_lost);
        CHECK(here.lock(*by));
    }
}

TEST_CASE("a release is tried again for two seconds in front of the caller, and then behind its back")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));

    SECTION("answered at last")
    {
        here.store.releases = {says::nothing, says::nothing, says::yes};
        CHECK(here.unlock(*by) == release_result::released);
    }
    SECTION("answered too late to tell whose it was")
    {
        here.store.releases = {says::nothing, says::no};
        CHECK(here.unlock(*by) == release_result::unknown);
        CHECK(here.shop.counted.lost == 0);
    }
    SECTION("not answered")
    {
        here.store.releases.assign(25, says::nothing);
        auto const began = here.time.now();
        CHECK(here.unlock(*by) == release_result::unknown);
        CHECK(here.time.now() - began <= 2s);
        CHECK_FALSE(here.valid(*by));
        CHECK(here.store.released < 25);
        here.time.run_for(3s);
        CHECK(here.store.released == 26);
    }
}

TEST_CASE("a store that says that it was lost is believed, though nobody had noticed")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    REQUIRE(here.lock(*by));
    here.store.releases = {says::no};
    CHECK(here.unlock(*by) == release_result::was_lost);
    CHECK(here.shop.counted.lost == 1);
}

TEST_CASE("who does not hold it cannot give it back")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    auto const other = here.make();
    REQUIRE(here.lock(*by));
    CHECK(here.unlock(*other) == release_result::unknown);
    CHECK(here.store.released == 0);
    CHECK(here.valid(*by));
}
