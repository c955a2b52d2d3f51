// Waiting for a lock: order, time limit and cancellation, with a scripted store in virtual time.

#include "locks/tests/unit/lock_holder_fixture.hpp"

using namespace baton;
using namespace baton::lock;
using namespace baton::lock::test;

TEST_CASE("a wait ends at its time limit and reports whether the store was unavailable")
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
    SECTION("unavailable: a possible grant without an answer is released")
    {
        fixture.store.takes.assign(1'000, says::nothing);
        CHECK_THROWS_AS(fixture.lock(*by, 1s), std::system_error);
        fixture.time.run_for(1s);
        CHECK(fixture.store.released == 1);
    }
    SECTION("refused after a try without an answer: the possible grant is released too")
    {
        fixture.store.takes.assign(1'000, says::no);
        fixture.store.takes.front() = says::nothing;
        CHECK_FALSE(fixture.lock(*by, 1s));
        fixture.time.run_for(1s);
        CHECK(fixture.store.released == 1);
    }
    SECTION("a single try")
    {
        fixture.store.takes = {says::no};
        CHECK_FALSE(fixture.lock(*by, 0ms));
        CHECK(fixture.store.taken == 1);
    }
    CHECK(fixture.context.metrics.refused == 1);
    fixture.store.takes.clear();
    CHECK(fixture.lock(*by));
}

TEST_CASE("an unexpected store error ends the wait and reaches the caller")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.takes = {says::no};
    fixture.store.wait_breaks = true;
    CHECK_THROWS_WITH(fixture.lock(*by, 1h), "no thread");
    CHECK(fixture.lock(*by));
}

TEST_CASE("the caller and the end of the store can stop a wait")
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

TEST_CASE("a stopped wait that sleeps in the store ends at once, and a release follows only after the sleep")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    fixture.store.takes.assign(1'000'000, says::no);
    std::stop_source caller;

    SECTION("there is nothing to release")
    {
        fixture.store.deaf = 1s;
        auto const call = fixture.begin_lock(*by, 1h, caller.get_token());
        fixture.time.run_for(100ms);
        caller.request_stop();
        fixture.time.settle();
        CHECK(call->over);
        CHECK(fixture.store.acquisitions == 1); // the statement in the store goes on
        fixture.time.run_for(1s);
        CHECK(fixture.store.acquisitions == 0);
        CHECK(fixture.store.released == 0);
    }
    SECTION("an earlier try had no answer")
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

TEST_CASE("a grant after the wait was stopped is released")
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

TEST_CASE("waiters that share a lock object are granted the lock in order of arrival")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    REQUIRE(fixture.lock(*by));
    auto const second = fixture.begin_lock(*by);
    auto const third = fixture.begin_lock(*by);
    fixture.time.run_for(1s);
    CHECK_FALSE(second->over);
    CHECK(fixture.store.taken == 1); // the waiters do not ask the store
    CHECK(fixture.unlock(*by) == release_result::released);
    CHECK(fixture.finish(second));
    CHECK_FALSE(third->over);
    CHECK(fixture.unlock(*by) == release_result::released);
    CHECK(fixture.finish(third));
    CHECK(by->current()->token() == 3);
}

TEST_CASE("a waiter that gives up lets the next waiter go ahead")
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

TEST_CASE("a reentrant holder counts its locks, and the last unlock releases the lock")
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

    SECTION("the second unlock releases it")
    {
        CHECK(fixture.unlock(*by) == release_result::released);
        CHECK(fixture.store.released == 1);
        CHECK(by->current() == nullptr);
    }
    SECTION("a lost lock cannot be locked again before its unlock")
    {
        fixture.store.renewals = {says::no};
        fixture.time.run_for(2s);
        CHECK_THROWS_AS(fixture.lock(*by), std::system_error);
        CHECK(fixture.unlock(*by) == release_result::was_lost);
        CHECK(fixture.lock(*by));
    }
}

TEST_CASE("a lock object that does not hold the lock cannot release it")
{
    lock_holder_fixture fixture(of_three_seconds());
    auto const by = fixture.make();
    auto const other = fixture.make();
    REQUIRE(fixture.lock(*by));
    CHECK(fixture.unlock(*other) == release_result::unknown);
    CHECK(fixture.store.released == 0);
    CHECK(fixture.valid(*by));
}
TEST_CASE("a grant whose answer took as long as the ttl is released, and the next try is granted")
{
    lock_holder_fixture fixture(of_three_seconds());
    fixture.store.take_lasts = 2900ms;
    auto const by = fixture.make();
    auto const call = fixture.begin_lock(*by, 5s);
    fixture.time.run_for(2901ms);
    CHECK_FALSE(call->over);
    CHECK_FALSE(fixture.valid(*by));
    CHECK(fixture.store.released == 1); // released rather than left to expire
    fixture.store.take_lasts = 0ms;
    CHECK(fixture.finish(call));
    CHECK(by->current()->token() == 2);
    CHECK(fixture.store.owners.size() == 2); // so that the release of one try does not release the other
}
