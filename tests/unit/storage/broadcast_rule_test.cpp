#include "libs/storage/broadcast_rule.hpp"

#include <catch2/catch.hpp>

namespace broadcast_rule_test {

using namespace baton;
using storage::broadcast_of;
using storage::firing_execution;
using storage::meets_rule;
using rule = protocol::broadcast_end;

namespace {

firing_execution shard(int id, bool succeeded, int total = 2)
{
    return {execution_id{id}, execution_id{1}, std::nullopt, total, succeeded};
}

firing_execution rerun(int id, int of, bool succeeded)
{
    return {execution_id{id}, std::nullopt, execution_id{of}, 2, succeeded};
}

firing_execution const broadcast{execution_id{1}, std::nullopt, std::nullopt, 1, false};

} // namespace

TEST_CASE("a broadcast meets its rule by its shards and by the executions that ran them again")
{
    std::vector const half{broadcast, shard(11, true), shard(12, false)};
    CHECK_FALSE(meets_rule(half, execution_id{1}, rule::all));
    CHECK(meets_rule(half, execution_id{1}, rule::any));
    auto again = half;
    again.push_back(rerun(20, 12, false));
    CHECK_FALSE(meets_rule(again, execution_id{1}, rule::all));
    again.push_back(rerun(21, 20, true));
    CHECK(meets_rule(again, execution_id{1}, rule::all));
    CHECK_FALSE(meets_rule({broadcast, shard(11, false), shard(12, false)}, execution_id{1}, rule::any));
    CHECK_FALSE(meets_rule({broadcast}, execution_id{1}, rule::all));
}

TEST_CASE(
    "two runs of one shard with success do not stand for another shard, and a shard that is gone has not succeeded")
{
    CHECK_FALSE(
        meets_rule({broadcast, shard(11, true), rerun(20, 11, true), shard(12, false)}, execution_id{1}, rule::all));
    CHECK_FALSE(meets_rule({broadcast, shard(11, true)}, execution_id{1}, rule::all));
}

TEST_CASE("the shards of a broadcast that was run again as a whole do not count for the first one")
{
    auto second = shard(32, true);
    second.parent = execution_id{2};
    std::vector const firing{broadcast, shard(11, true), shard(12, false), rerun(2, 1, false), second};
    CHECK_FALSE(meets_rule(firing, execution_id{1}, rule::all));
    CHECK(meets_rule(firing, execution_id{2}, rule::any));
}

TEST_CASE("the broadcast of an execution is found along its reruns, as far as their rows are there")
{
    std::vector const firing{broadcast, shard(12, false), rerun(20, 12, false), rerun(21, 20, true),
                             rerun(30, 99, true)};
    CHECK(broadcast_of(firing, execution_id{12}) == execution_id{1});
    CHECK(broadcast_of(firing, execution_id{21}) == execution_id{1});
    CHECK_FALSE(broadcast_of(firing, execution_id{30}));
    CHECK_FALSE(broadcast_of(firing, execution_id{1}));
}

} // namespace broadcast_rule_test
