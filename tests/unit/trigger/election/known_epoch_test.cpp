#include "tests/unit/trigger/election/elector_fixture.hpp"
#include "trigger/election/known_epoch.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <memory>
#include <optional>

namespace known_epoch_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct claims : test::fixture {
    using admission = known_epoch::admission;

    election_trace trace{"", "node", "node#1"};
    election_proxy proxy{vote, loop_ref{loop.get_executor()}, loop_ref{loop.get_executor()}};
    known_epoch epochs{proxy, trace, time};

    void read(std::int64_t epoch) { epochs.read_row({protocol::first_namespace, epoch}, true); }

    // Lets the election run, and the node learn what it reads.
    void take_part()
    {
        proxy.on_row([this](lease::lease_row const& row, instant, instant) {
            epochs.read_row({protocol::first_namespace, row.epoch}, row.owner.has_value());
        });
        start();
        time.run_for(10ms);
    }

    void led_by_another(std::int64_t epoch)
    {
        lease.row.owner = "other";
        lease.row.epoch = epoch;
        lease.row.ttl = 1h;
        take_part();
    }

    // The admission of a message of this epoch; nothing while it waits.
    std::shared_ptr<std::optional<admission>> hear(std::int64_t epoch)
    {
        auto told = std::make_shared<std::optional<admission>>();
        asio::co_spawn(loop, epochs.admit(epoch, "node two"),
                       [told](std::exception_ptr, admission got) { *told = got; });
        time.run_for(1ms);
        return told;
    }
};

} // namespace

TEST_CASE("a client that knows a higher epoch than the lock row is an alarm until the row reaches it")
{
    claims f;
    f.read(5);
    f.epochs.claimed(9, "client one");
    CHECK(f.epochs.value() == 5); // a claim proves nothing
    CHECK(f.epochs.ahead() == 0);
    f.read(5); // this reading may have begun before the claim
    CHECK(f.epochs.ahead() == 0);
    f.read(5);
    CHECK(f.epochs.ahead() == 9);
    f.read(6);
    CHECK(f.epochs.ahead() == 9);
    f.read(10); // raised, and seized
    CHECK(f.epochs.ahead() == 0);
    f.read(10);
    CHECK(f.epochs.ahead() == 0);
}

TEST_CASE("the alarm about a higher epoch ends ten minutes after the last refusal")
{
    claims f;
    f.read(5);
    f.epochs.claimed(std::numeric_limits<std::int64_t>::max(), "client one");
    f.read(5);
    f.read(5);
    f.time.run_for(9min);
    f.epochs.claimed(std::numeric_limits<std::int64_t>::max(), "client one");
    f.time.run_for(9min);
    f.read(5);
    CHECK(f.epochs.ahead() != 0);
    f.time.run_for(2min);
    f.read(5);
    CHECK(f.epochs.ahead() == 0);
    f.epochs.claimed(9, "client one"); // as a restored database is refused
    f.read(5);
    f.read(5);
    CHECK(f.epochs.ahead() == 9);
}

TEST_CASE("a client that heard of a new master before this node is no alarm")
{
    claims f;
    f.read(5);
    f.epochs.claimed(6, "client one");
    f.read(5);
    f.read(6);
    f.read(6);
    CHECK(f.epochs.ahead() == 0);
    f.epochs.claimed(6, "client one");
    f.read(6);
    f.read(6);
    CHECK(f.epochs.ahead() == 0);
}

TEST_CASE("only epochs of the node's own namespace are learned from the lock row")
{
    claims f;
    f.read(5);
    f.epochs.read_row({2, 900}, true);
    CHECK(f.epochs.term() == protocol::term_id{1, 5});
    f.epochs.read_row({1, 6}, false); // free: no master has this epoch
    CHECK(f.epochs.term() == protocol::term_id{1, 5});
    f.epochs.read_row({1, 6}, true);
    CHECK(f.epochs.term() == protocol::term_id{1, 6});
}

TEST_CASE("an epoch that a message names is learned from the lock row only")
{
    claims f;
    f.led_by_another(5);
    REQUIRE(f.epochs.value() == 5);
    CHECK(*f.hear(5) == claims::admission::current);
    CHECK(*f.hear(4) == claims::admission::old);

    auto const absurd = f.hear(std::numeric_limits<std::int64_t>::max());
    CHECK_FALSE(absurd->has_value()); // the row is read again and again
    f.time.run_for(2s);
    CHECK(*absurd == claims::admission::unproved);
    CHECK(f.epochs.value() == 5);
    CHECK(*f.hear(5) == claims::admission::current);
}

TEST_CASE("a message of a new term counts as soon as the lock row shows the term")
{
    claims f;
    f.led_by_another(5);
    f.lease.latency = 3ms;
    f.lease.row.epoch = 6;
    auto const now = f.time.now();
    auto const told = f.hear(6);
    CHECK_FALSE(told->has_value());
    f.time.run_for(5ms); // without waiting for the next tick
    CHECK(*told == claims::admission::current);
    CHECK(f.time.now() - now < 10ms);

    f.lease.row.epoch = 7;
    f.lease.down = true;
    auto const unread = f.hear(7);
    f.time.run_for(2s);
    CHECK(*unread == claims::admission::unproved);
}

TEST_CASE("neither a message nor an answer of another node ends the term of a master that holds the lock row")
{
    claims f;
    f.take_part();
    REQUIRE(f.active());
    auto const mine = f.vote.state().epoch();
    f.hear(mine + 100);
    f.epochs.claimed(mine + 200, "client one");
    f.time.run_for(5s);
    CHECK(f.active());
    CHECK(f.vote.state().epoch() == mine);
    CHECK(f.terms == 1);
    CHECK(f.epochs.ahead() == mine + 200); // people are told
}

} // namespace known_epoch_test
