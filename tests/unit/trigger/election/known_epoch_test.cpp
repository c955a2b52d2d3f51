#include "tests/unit/trigger/election/elector_fixture.hpp"
#include "trigger/election/known_epoch.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::trigger;

namespace {

struct claims : test::fixture {
    election_trace trace{"", "node", "node#1"};
    election_proxy proxy{vote, loop_ref{loop.get_executor()}, loop_ref{loop.get_executor()}};
    known_epoch epochs{proxy, trace};

    void read(std::int64_t epoch) { epochs.read_row({protocol::first_namespace, epoch}, true); }
};

} // namespace

TEST_CASE("a client that knows a higher epoch than the lock row is an alarm until the row reaches it")
{
    claims f;
    f.read(5);
    f.epochs.claimed_by_client(9);
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

TEST_CASE("a client that heard of a new master before this node is no alarm")
{
    claims f;
    f.read(5);
    f.epochs.claimed_by_client(6);
    f.read(5);
    f.read(6);
    f.read(6);
    CHECK(f.epochs.ahead() == 0);
    f.epochs.claimed_by_client(6);
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
