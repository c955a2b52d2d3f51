// Who waits for a lock, in which order and for how long, whatever its store does.

#include "locks/tests/unit/holding_bench.hpp"

using namespace baton;
using namespace baton::lock;
using namespace baton::lock::test;

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

TEST_CASE("a wait that fails otherwise than by a store that is away ends, and is told why")
{
    bench here(of_three_seconds());
    auto const by = here.make();
    here.store.takes = {says::no};
    here.store.wait_breaks = true;
    CHECK_THROWS_WITH(here.lock(*by, 1h), "no thread");
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
