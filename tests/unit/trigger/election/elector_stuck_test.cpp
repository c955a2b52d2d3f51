// A node whose working loop stands still does not lead for ever.

#include "tests/unit/trigger/election/elector_fixture.hpp"

#include <catch2/catch.hpp>

namespace elector_stuck_test {

using namespace baton;
using namespace baton::test;

namespace {

struct stuck_fixture : fixture {
    bool runs = true; // the working loop
    std::uint64_t stamp = 0;

    stuck_fixture()
    {
        vote.require_progress([this] { return runs ? ++stamp : stamp; });
        start();
        time.run_for(20s);
        REQUIRE(active());
    }
};

} // namespace

TEST_CASE("a working loop that stands still for less than election.stuck costs no mastership")
{
    stuck_fixture f;
    f.runs = false;
    f.time.run_for(4'500ms);
    CHECK(f.active());
    f.runs = true;
    f.time.run_for(60s);
    CHECK(f.active());
    CHECK(f.terms == 1);
}

TEST_CASE("a working loop that stands still for election.stuck ends the term, and another one begins when it goes on")
{
    stuck_fixture f;
    f.runs = false;
    f.time.run_for(5'500ms);
    CHECK_FALSE(f.active());
    CHECK(f.vote.why_ended() == "the working loop stood still");
    f.lease.row.owner.reset(); // as after a release; no other node is there
    f.time.run_for(60s);
    CHECK_FALSE(f.active());
    CHECK(f.terms == 1);
    f.runs = true;
    f.time.run_for(5s);
    CHECK(f.active());
    CHECK(f.terms == 2);
}

} // namespace elector_stuck_test
