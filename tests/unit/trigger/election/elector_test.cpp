#include "tests/unit/trigger/election/elector_fixture.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace elector_test {

using namespace baton;
using namespace baton::trigger;
using baton::test::fixture;

TEST_CASE("a node that is alone leads within a tick and renews for as long as it runs")
{
    fixture b;
    b.start();
    b.time.run_for(1s);
    CHECK(b.active());
    CHECK(b.vote.state().epoch() == 2);
    b.time.run_for(60s);
    CHECK(b.active());
    CHECK(b.terms == 1);
    CHECK(b.lease.renewals >= 50);
}

TEST_CASE("a hanging renewal suspends the term on time, and an acknowledged one resumes it under the same epoch")
{
    fixture b;
    b.start();
    b.time.run_for(5s);
    REQUIRE(b.active());
    b.lease.down = true;
    b.time.run_for(4s);
    CHECK_FALSE(b.active());
    CHECK(b.vote.state().at(b.time.now()) == standing::suspended);
    CHECK(b.on_duty); // it may resume
    b.lease.down = false;
    b.time.run_for(2s);
    CHECK(b.active());
    CHECK(b.vote.state().epoch() == 2);
    CHECK(b.terms == 1);
}

TEST_CASE("a slow answer does not stretch a term, which is trusted from before the request")
{
    fixture b;
    b.start();
    b.time.run_for(5s);
    b.lease.latency = 2'500ms; // each poll and each renewal
    b.time.run_for(20s);
    // Acknowledged 2.5 s after it was asked for, a lease of 3 s less 250 ms has a quarter of a second left.
    auto const asked_at_latest = b.time.now() - b.lease.latency;
    CHECK(b.vote.state().deadline() <= asked_at_latest + 3s - 250ms + 1s);
    CHECK(b.vote.state().deadline() < b.time.now() + 250ms);
}

TEST_CASE("a term ends when the row shows another owner, and its duty with it")
{
    fixture b;
    b.start();
    b.time.run_for(5s);
    REQUIRE(b.on_duty);
    b.lease.row.owner = "other";
    b.lease.row.epoch = 9;
    b.lease.renewed_at = b.time.now();
    b.time.run_for(1'500ms);
    CHECK_FALSE(b.active());
    CHECK_FALSE(b.on_duty);
    CHECK(b.lease.row.owner == std::string("other")); // nothing of the other's was released
}

TEST_CASE("a dead holder's lease is taken within its ttl and a tick")
{
    fixture b;
    b.lease.row.owner = "dead";
    b.lease.row.epoch = 4;
    b.lease.row.ttl = 3s;
    b.lease.renewed_at = b.time.now();
    b.start();
    b.time.run_for(2'900ms);
    CHECK_FALSE(b.active());
    b.time.run_for(200ms);
    CHECK(b.active());
    CHECK(b.vote.state().epoch() == 5);
}

TEST_CASE("a seizure whose answer was lost makes a master only after a renewal")
{
    fixture b;
    b.lease.row.owner = "me";
    b.lease.row.epoch = 6;
    b.lease.row.ttl = 3s;
    b.lease.renewed_at = b.time.now();
    b.start();
    b.time.run_for(100ms);
    CHECK(b.active());
    CHECK(b.vote.state().epoch() == 6);
    CHECK(b.lease.renewals == 1);
}

TEST_CASE("a master that learns of a higher epoch steps down at once")
{
    fixture b;
    b.start();
    b.time.run_for(2s);
    REQUIRE(b.active());
    b.vote.superseded(b.vote.state().epoch(), "another node"); // the same epoch is no news
    CHECK(b.active());
    b.vote.superseded(99, "a client");
    CHECK_FALSE(b.active());
    b.time.run_for(1ms);
    CHECK_FALSE(b.on_duty);
}

TEST_CASE("look() reads the lock row without waiting for the next tick, and an unchanged row changes nothing")
{
    fixture b;
    b.start();
    b.time.run_for(2s);
    REQUIRE(b.active());
    auto const renewals = b.lease.renewals;
    b.vote.look();
    b.time.run_for(1ms);
    CHECK(b.lease.renewals == renewals + 1);
    CHECK(b.active());
}

TEST_CASE("a clean stop drains the duty, releases the lease and returns")
{
    fixture b;
    b.start();
    b.time.run_for(2s);
    b.vote.stop();
    b.time.run_for(100ms);
    CHECK(b.ended);
    CHECK_FALSE(b.on_duty);
    CHECK(b.lease.released);
}

TEST_CASE("ticks are never late, and drift apart from the ticks of other nodes")
{
    fixture b;
    b.lease.row.owner = "other";
    b.lease.row.epoch = 4;
    b.lease.row.ttl = 1h;
    b.start();
    b.time.run_for(60s);
    std::set<duration> spans;
    for (std::size_t i = 1; i < b.lease.polled.size(); ++i)
        spans.insert(b.lease.polled[i] - b.lease.polled[i - 1]);
    CHECK(*spans.rbegin() <= 1s);
    CHECK(*spans.begin() >= 900ms);
    CHECK(spans.size() > 30);
}

TEST_CASE("a renewal without an answer is tried again at once, not a tick later")
{
    fixture b;
    b.start();
    b.time.run_for(5s);
    b.lease.down = true;
    b.time.run_for(1s);
    auto const tries = b.lease.polled.size();
    b.time.run_for(1s);
    CHECK(b.lease.polled.size() >= tries + 9);
    b.lease.down = false;
    b.time.run_for(100ms);
    CHECK(b.vote.state().deadline() > b.time.now() + 2s);
}

TEST_CASE("a term knows how it was won, when the former master last gave a sign of life, and why it ended")
{
    fixture b;
    b.lease.row.owner = "dead";
    b.lease.row.epoch = 4;
    b.lease.row.ttl = 3s;
    b.lease.renewed_at = b.time.now();
    auto const last_sign = b.time.now();
    std::vector<trust_event> told;
    b.vote.on_trust([&](trust_event const& event) { told.push_back(event); });
    b.start();
    b.time.run_for(5s);
    REQUIRE(b.active());
    CHECK(b.vote.began_by().how == succession::way::expired);
    CHECK(b.vote.began_by().led_until == last_sign);
    CHECK_FALSE(b.vote.began_by().first);
    CHECK(told.front().by == "seize");
    CHECK(told.back().by == "renew");
    CHECK(told.back().epoch == 5);
    CHECK(told.back().lease_until == b.vote.state().lease_until());
    CHECK(told.back().lease_until == told.back().asked + 3s - 3ms - 250ms);
    b.vote.stop();
    CHECK(b.vote.why_ended() == "a clean stop"); // known before the duty is told
    b.time.run_for(100ms);
    CHECK(told.back().by == "lost");
    CHECK(told.back().epoch == 5);
}

TEST_CASE("a node whose duty fails releases the lease and stays out of the election for a while that grows")
{
    fixture b;
    b.failure = "the cause";
    b.start();
    b.time.run_for(1'900ms);
    CHECK(b.terms == 1);
    CHECK_FALSE(b.lease.row.owner);
    CHECK(b.vote.why_ended() == "its duty failed: the cause");
    b.time.run_for(1h);
    CHECK(b.terms <= 70); // the longest pause is a minute
    CHECK(b.terms >= 50);
    b.failure.clear();
    b.time.run_for(2min);
    CHECK(b.active());
}

TEST_CASE("a stop ends the pause after a failed term")
{
    fixture b;
    b.failure = "the cause";
    b.start();
    b.time.run_for(10min);
    REQUIRE_FALSE(b.on_duty);
    b.vote.stop();
    b.time.run_for(1ms);
    CHECK(b.ended);
}

} // namespace elector_test
