// Who waits for a lock, in which order and for how long, whatever its store does.

#include "locks/tests/unit/lock_holder_fixture.hpp"

using namespace baton;
using namespace baton::lock;
using namespace baton::lock::test;

TEST_CASE("a wait ends at its time, and tells whether the store was away")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();

    SECTION("refused")
    {
        fixture.store.takes.assign(1'000, says::no);
        auto const began = fixture.time.now();
        CHECK_FALSE(fixture.lock(*by, 1s));
        CHECK(fixture.time.now() == began + 1s);
        CHECK(fixture.store.released == 0);
    }
    SECTION("away: and what a try without an answer may have left is given back")
    {
        fixture.store.takes.assign(1'000, says::nothing);
        CHECK_THROWS_AS(fixture.lock(*by, 1s), std::system_error);
        fixture.time.run_for(1s);
        CHECK(fixture.store.released == 1);
    }
    SECTION("refused, after a try without an answer: that one is given back as well")
    {
        fixture.store.takes.assign(1'000, says::no);
        fixture.store.takes.front() = says::nothing;
        CHECK_FALSE(fixture.lock(*by, 1s));
        fixture.time.run_for(1s);
        CHECK(fixture.store.released == 1);
    }
    SECTION("one look")
    {
        fixture.store.takes = {says::no};
        CHECK_FALSE(fixture.lock(*by, 0ms));
        CHECK(fixture.store.taken == 1);
    }
    CHECK(fixture.context.counted.refused == 1);
    fixture.store.takes.clear();
    CHECK(fixture.lock(*by));
}

TEST_CASE("a wait that fails otherwise than by a store that is away ends, and is told why")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.takes = {says::no};
    fixture.store.wait_breaks = true;
    CHECK_THROWS_WITH(fixture.lock(*by, 1h), "no thread");
    CHECK(fixture.lock(*by));
}

TEST_CASE("who waits can be stopped, by its caller and by the end of the store")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.takes.assign(1'000'000, says::no);
    std::stop_source caller;
    auto const call = fixture.begin_lock(*by, 1h, caller.get_token());
    fixture.time.run_for(1s);
    CHECK_FALSE(call->over);
    GENERATE(0, 1) == 0 ? caller.request_stop() : fixture.closing.request_stop();
    fixture.time.settle();
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
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.takes.assign(1'000'000, says::no);
    std::stop_source caller;

    SECTION("there is nothing to give back")
    {
        fixture.store.deaf = 1s;
        auto const call = fixture.begin_lock(*by, 1h, caller.get_token());
        fixture.time.run_for(100ms);
        caller.request_stop();
        fixture.time.settle();
        CHECK(call->over);
        CHECK(fixture.store.acquisitions == 1); // what it has asked for goes on
        fixture.time.run_for(1s);
        CHECK(fixture.store.acquisitions == 0);
        CHECK(fixture.store.released == 0);
    }
    SECTION("a try before had no answer")
    {
        fixture.store.takes.front() = says::nothing;
        auto const call = fixture.begin_lock(*by, 1h, caller.get_token());
        fixture.store.deaf = 1s;
        fixture.time.run_for(500ms);
        REQUIRE(fixture.store.taken == 2);
        caller.request_stop();
        fixture.time.settle();
        CHECK(fixture.store.released == 0);
        fixture.time.run_for(1s);
        CHECK(call->over);
        CHECK(fixture.store.released == 1);
    }
}

TEST_CASE("what is granted to one who has stopped waiting is given back")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.take_lasts = 400ms;
    std::stop_source caller;
    auto const call = fixture.begin_lock(*by, 1h, caller.get_token());
    fixture.time.run_for(100ms);
    caller.request_stop();
    CHECK_THROWS_AS(fixture.finish(call), std::system_error);
    CHECK(by->current() == nullptr);
    fixture.time.run_for(1s);
    CHECK(fixture.store.released == 1);
    fixture.store.take_lasts = 0ms;
    CHECK(fixture.lock(*by));
}

TEST_CASE("those who share an object take turns in the order in which they came")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const second = fixture.begin_lock(*by);
    auto const third = fixture.begin_lock(*by);
    fixture.time.run_for(1s);
    CHECK_FALSE(second->over);
    CHECK(fixture.store.taken == 1); // nobody asks the store for what is held here
    CHECK(fixture.unlock(*by) == release_result::released);
    CHECK(fixture.finish(second));
    CHECK_FALSE(third->over);
    CHECK(fixture.unlock(*by) == release_result::released);
    CHECK(fixture.finish(third));
    CHECK(by->current()->token() == 3);
}

TEST_CASE("one who gives up waiting for its turn leaves it to those behind")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const second = fixture.begin_lock(*by, 1s);
    auto const third = fixture.begin_lock(*by);
    CHECK_FALSE(fixture.finish(second));
    fixture.unlock(*by);
    CHECK(fixture.finish(third));
}

TEST_CASE("a reentrant holder counts, and gives back with the last unlock")
{
    auto how = of_three_seconds();
    how.reentrant = true;
    lock_holder_fixture fixture(how);
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    REQUIRE(fixture.lock(*by));
    CHECK(by->current()->token() == 1);
    CHECK(fixture.unlock(*by) == release_result::released);
    CHECK(fixture.valid(*by));
    CHECK(fixture.store.released == 0);

    SECTION("it is free after as many")
    {
        CHECK(fixture.unlock(*by) == release_result::released);
        CHECK(fixture.store.released == 1);
        CHECK(by->current() == nullptr);
    }
    SECTION("what was lost is not entered again")
    {
        fixture.store.renewals = {says::no};
        fixture.time.run_for(2s);
        CHECK_THROWS_AS(fixture.lock(*by), std::system_error);
        CHECK(fixture.unlock(*by) == release_result::was_lost);
        CHECK(fixture.lock(*by));
    }
}

TEST_CASE("who does not hold it cannot give it back")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    auto const other = fixture.make();
    REQUIRE(fixture.lock(*by));
    CHECK(fixture.unlock(*other) == release_result::unknown);
    CHECK(fixture.store.released == 0);
    CHECK(fixture.valid(*by));
}
TEST_CASE("an answer that took as long as the lock's time grants nothing")
{
    lock_holder_fixture fixture(of_three_seconds());
    fixture.store.take_lasts = 2900ms;
    auto const by = fixture.make();
    auto const call = fixture.begin_lock(*by, 5s);
    fixture.time.run_for(2901ms);
    CHECK_FALSE(call->over);
    CHECK_FALSE(fixture.valid(*by));
    CHECK(fixture.store.released == 1); // it is given back rather than left to expire
    fixture.store.take_lasts = 0ms;
    CHECK(fixture.finish(call));
    CHECK(by->current()->token() == 2);
    CHECK(fixture.store.owners.size() == 2); // so that the release of the one is not that of the other
}
