// A term that is lost in the moment of its winning, as by a message that comes between that and the beginning of the
// duty.

#include "tests/support/process_end.hpp"
#include "tests/unit/trigger/election/elector_fixture.hpp"

#include <catch2/catch.hpp>

namespace elector_lost_test {

using namespace baton;
using namespace baton::trigger;
using baton::test::fixture;

namespace {

void lose_the_first(fixture& b)
{
    b.vote.on_event([&](election_event const& event) {
        if (event.what == verdict::promoted && event.epoch == 2)
            b.vote.superseded(3, "a node");
    });
}

// A guard that another session holds.
class lock_of_another final : public lease::guard_store {
public:
    explicit lock_of_another(time_source& time) : time_(time) {}

    bool proves_end() const override { return false; }
    awaitable<std::int64_t> take(duration limit) override
    {
        ++waits;
        co_await time_.sleep_for(limit);
        co_return 0;
    }
    std::string const& server() const override { return server_; }
    awaitable<void> interrupt() override { co_return; }
    awaitable<void> drop() override { co_return; }
    awaitable<bool> held(std::int64_t) override { co_return false; }
    awaitable<bool> held_elsewhere(std::int64_t) override { co_return true; }
    awaitable<void> evict() override { co_return; }
    awaitable<guarded_row> poll() override { co_return guarded_row{}; }
    awaitable<bool> arm(std::string, std::int64_t, duration, std::int64_t) override { co_return false; }
    awaitable<bool> disarm(std::string, std::int64_t) override { co_return true; }
    awaitable<bool> seize(lease::seizure, duration, std::int64_t) override { co_return false; }

    int waits = 0;

private:
    time_source& time_;
    std::string server_ = "here";
};

} // namespace

TEST_CASE("a term that is lost as it is won is given up like any other, and another can follow")
{
    fixture b;
    lose_the_first(b);
    b.start();
    b.time.run_for(100ms);
    CHECK(b.terms == 0);
    b.lease.row.owner.reset();
    b.time.run_for(2s);
    CHECK(b.active());
    CHECK(b.terms == 1);
    b.time.run_for(60s);
    CHECK(b.active());
}

TEST_CASE("the last resort does not end the process after a term that is lost as it is won")
{
    auto const seen = baton::test::end_after([](deadman& one, deadman& other) {
        election_settings settings;
        settings.grace = 500ms;
        fixture b(settings);
        b.vote.use(one);
        lose_the_first(b);
        b.start();
        b.time.run_for(100ms);
        other.arm(700ms, "was left alone");
    });
    CHECK(seen.status == 70);
    CHECK_THAT(seen.said, Catch::Contains("was left alone") && !Catch::Contains("did not drain"));
}

TEST_CASE("after a term that is lost as it is won, the guard waits for its lock again")
{
    fixture b;
    lock_of_another store(b.time);
    b.vote.guard_by(store, {});
    lose_the_first(b);
    b.start();
    b.time.run_for(10ms);
    REQUIRE(b.vote.state().epoch() == 0);
    auto const before = store.waits;
    b.time.run_for(2500ms); // until the unused lease has expired
    CHECK(b.terms == 0);
    CHECK(store.waits > before);
}

} // namespace elector_lost_test
