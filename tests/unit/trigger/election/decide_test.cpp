#include "trigger/election/decide.hpp"
#include "trigger/election/mastership.hpp"

#include <catch2/catch.hpp>

namespace decide_test {

using namespace baton;
using namespace baton::trigger;

namespace {

instant at(duration since_boot)
{
    return instant{since_boot};
}

lease::lease_row held_by(std::string owner, std::int64_t epoch, bool expired)
{
    lease::lease_row row;
    row.owner = std::move(owner);
    row.epoch = epoch;
    row.renew_seq = 40;
    row.ttl = 3s;
    row.expired = expired;
    return row;
}

observation watched(lease::lease_row const& row, instant since)
{
    return {row.epoch, row.renew_seq, since};
}

} // namespace

TEST_CASE("a free lease is seized at once, under the next epoch")
{
    lease::lease_row row;
    row.epoch = 7;
    auto const what = decide(row, "me", 0, watched(row, at(10s)), at(10s));
    CHECK(what.act == move::seize);
    CHECK(what.epoch == 8);
    CHECK(what.if_matched == verdict::promoted);
    CHECK(what.if_refused == verdict::unknown);
}

TEST_CASE("the reason of a statement that matched no row names another node only if there was one")
{
    std::string const alone = why_refused(move::renew, held_by("me", 7, true)); // after an outage of the database
    CHECK(alone == "the lease had expired before it was renewed");
    CHECK(alone == why_refused(move::confirm, held_by("me", 7, true)));
    CHECK_THAT(why_refused(move::renew, held_by("me", 7, false)), Catch::Contains("expired, or another node"));
    CHECK_THAT(why_refused(move::seize, held_by("other", 7, true)), Catch::Contains("another node"));
}

TEST_CASE("a lease that its holder renews in time is left alone")
{
    auto const row = held_by("other", 7, false);
    auto const what = decide(row, "me", 0, watched(row, at(1s)), at(100s));
    CHECK(what.act == move::none);
    CHECK(what.if_matched == verdict::unknown);
}

TEST_CASE("an expired lease is seized only if the node's own clock agrees with the database's")
{
    auto const row = held_by("other", 7, true);
    CHECK(decide(row, "me", 0, watched(row, at(10s)), at(12'900ms)).act == move::none);
    CHECK(decide(row, "me", 0, watched(row, at(10s)), at(13s)).act == move::none); // clocks may differ in rate
    CHECK(decide(row, "me", 0, watched(row, at(10s)), at(13'004ms)).act == move::seize);
}

TEST_CASE("the ttl of the holder counts, not that of the slave")
{
    auto row = held_by("other", 7, true);
    row.ttl = 10s;
    CHECK(decide(row, "me", 0, watched(row, at(10s)), at(15s)).act == move::none);
    CHECK(decide(row, "me", 0, watched(row, at(10s)), at(20'011ms)).act == move::seize);
}

TEST_CASE("the master renews its own lease, and leaves when the row shows another holder or epoch")
{
    auto const mine = held_by("me", 7, false);
    auto const renewal = decide(mine, "me", 7, watched(mine, at(1s)), at(2s));
    CHECK(renewal.act == move::renew);
    CHECK(renewal.if_matched == verdict::stay);
    CHECK(renewal.if_refused == verdict::leave);

    auto const taken = held_by("other", 8, false);
    auto const loss = decide(taken, "me", 7, watched(taken, at(1s)), at(2s));
    CHECK(loss.act == move::none);
    CHECK(loss.if_matched == verdict::leave);

    auto const later = held_by("me", 9, false); // an epoch of ours that this term is not
    CHECK(decide(later, "me", 7, watched(later, at(1s)), at(2s)).if_matched == verdict::leave);
}

TEST_CASE("a lease that the row shows as this node's is confirmed before the node trusts it")
{
    auto const row = held_by("me", 8, false);
    auto const what = decide(row, "me", 0, watched(row, at(1s)), at(2s));
    CHECK(what.act == move::confirm);
    CHECK(what.epoch == 8);
    CHECK(what.if_matched == verdict::promoted);
    CHECK(what.if_refused == verdict::unknown);
}

TEST_CASE("an observation starts anew with every renewal and every epoch")
{
    auto row = held_by("other", 7, false);
    auto const first = observe({}, row, at(10s));
    CHECK(first.since == at(10s));
    CHECK(observe(first, row, at(11s)).since == at(10s));
    ++row.renew_seq;
    CHECK(observe(first, row, at(12s)).since == at(12s));
    --row.renew_seq;
    ++row.epoch;
    CHECK(observe(first, row, at(13s)).since == at(13s));
}

TEST_CASE("a lease is trusted from before its request, less the margin and the clocks' rate")
{
    mastership ship;
    ship.extend(5, at(100s), 3s, 250ms);
    CHECK(ship.deadline() == at(102'747ms));
    CHECK(ship.active(5, at(102'746ms)));
    CHECK_FALSE(ship.active(5, at(102'747ms)));
    CHECK_FALSE(ship.active(5, at(102'700ms), 100ms)); // too little time left for the act
    CHECK_FALSE(ship.active(4, at(101s)));             // another term's act
    CHECK(ship.at(at(103s)) == standing::suspended);
    ship.lose();
    CHECK(ship.at(at(101s)) == standing::none);
    CHECK_FALSE(ship.active(5, at(101s)));
    CHECK_FALSE(ship.active(0, at(101s)));
}

namespace {

lease::guard_store::guarded_row guarded(std::string owner, duration wait, bool here = true)
{
    lease::guard_store::guarded_row seen;
    seen.row = held_by(std::move(owner), 7, false);
    seen.row.guard = wait;
    seen.row.guard_conn = here ? 77 : 0;
    seen.armed_here = here;
    return seen;
}

} // namespace

TEST_CASE("a node that gets the guard's lock waits for the time that the holder wrote and then seizes the lease")
{
    auto const seen = guarded("other", 400ms);
    auto const ripe = at(10s) + stretched(400ms) + 1ms;
    CHECK(decide_handover(seen, "me", at(10s), at(10s), false).act == handover::wait);
    CHECK(decide_handover(seen, "me", at(10s), at(10s), false).ripe == ripe);
    CHECK(decide_handover(seen, "me", at(10s), ripe - 1us, false).act == handover::wait);
    CHECK(decide_handover(seen, "me", at(10s), ripe, false).act == handover::seize);
}

TEST_CASE("a grant that proves the holder's end is followed by a seizure at once")
{
    CHECK(decide_handover(guarded("other", 0ms), "me", at(10s), at(10s), true).act == handover::seize);
}

TEST_CASE("a node lets the guard's lock go if the row is not armed here or has no wait")
{
    CHECK(decide_handover(guarded("other", 400ms, false), "me", at(10s), at(20s), false).act == handover::release);
    CHECK(decide_handover(guarded("other", 0ms), "me", at(10s), at(20s), false).act == handover::release);
    CHECK(decide_handover(guarded("other", 400ms, false), "me", at(10s), at(20s), true).act == handover::release);
}

TEST_CASE("a free lease, or one that the row shows as this node's, is left to the election")
{
    auto seen = guarded("me", 400ms);
    CHECK(decide_handover(seen, "me", at(10s), at(20s), false).act == handover::vacant);
    seen.row.owner.reset();
    CHECK(decide_handover(seen, "me", at(10s), at(10s), false).act == handover::vacant);
}

TEST_CASE("a master that a guard binds may not act on the lease alone")
{
    mastership ship;
    ship.guard(mastership::unguarded);
    ship.extend(7, at(10s), 3s, 250ms);
    CHECK(ship.active(7, at(12s)));
    ship.guard(at(11s));
    CHECK(ship.active(7, at(11s) - 1us));
    CHECK_FALSE(ship.active(7, at(11s)));
    CHECK(ship.at(at(11s)) == standing::suspended);
    CHECK(ship.deadline() == at(11s));
    ship.extend(7, at(12s), 3s, 250ms); // a renewal does not help
    CHECK_FALSE(ship.active(7, at(12s)));
    ship.guard(at(13s));
    CHECK(ship.active(7, at(12s), 900ms));
    CHECK_FALSE(ship.active(7, at(12s), 1s));
    ship.guard(mastership::unguarded);
    CHECK(ship.active(7, at(14s)));
    CHECK_FALSE(ship.active(7, at(15s)));
}

} // namespace decide_test
