#include "trigger/delivery/client_lane.hpp"

#include <catch2/catch.hpp>

namespace client_lane_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant now{100s};

delivery make_delivery(std::int64_t id, std::size_t payload = 0)
{
    delivery one;
    one.what.work.execution = execution_id{id};
    if (payload > 2)
        one.what.work.payload = protocol::json_text::checked('"' + std::string(payload - 2, 'x') + '"');
    return one;
}

client_lane make_lane(int slots, int queue, lane_limits limits = {})
{
    client_lane lane({"host:1", {"default", "billing"}, {"close"}, slots, queue, false}, limits);
    lane.ran(1, 0us, now); // its handlers are fast: it is given as many as it takes
    return lane;
}

} // namespace

TEST_CASE("a client gets work only after it has answered at its address, and none after it failed to")
{
    auto lane = make_lane(2, 3);
    CHECK_FALSE(lane.takes_work());
    CHECK(lane.places() == 0);
    lane.proved_at_address();
    CHECK(lane.takes_work());
    CHECK(lane.places() == 5);
    lane.failed(now);
    CHECK_FALSE(lane.takes_work());
    CHECK(lane.places() == 0);
    CHECK(lane.failing_since() == now);
    lane.failed(now + 1s);
    CHECK(lane.failing_since() == now); // since it last answered
    lane.proved_at_address();
    CHECK_FALSE(lane.failing_since());
}

TEST_CASE("nothing goes to an address that has not proved itself since its last failure")
{
    auto lane = make_lane(2, 3);
    lane.put(make_delivery(1)); // bound to it by an earlier home
    CHECK_FALSE(lane.may_send());
    lane.answered(); // to a request of an earlier time
    CHECK_FALSE(lane.may_send());
    lane.proved_at_address();
    CHECK(lane.may_send());
    lane.failed(now);
    CHECK_FALSE(lane.may_send());
    CHECK_FALSE(lane.proved());
    CHECK_FALSE(lane.may_send());
    lane.proved_at_address();
    CHECK(lane.may_send());
}

TEST_CASE("a client that proves itself but fails at its work is not reachable, and its pauses grow")
{
    auto lane = make_lane(2, 3, {.first_pause = 100ms});
    lane.proved_at_address();
    auto one = make_delivery(1);
    one.bound = true;
    lane.put(std::move(one));
    lane.failed(now);
    lane.proved_at_address();
    CHECK_FALSE(lane.reachable());
    CHECK_FALSE(lane.takes_work());
    CHECK(lane.failing_since() == now);
    CHECK_FALSE(lane.may_probe(now + 1h)); // the next request decides
    lane.failed(now + 1s);
    CHECK(lane.failing_since() == now);
    CHECK_FALSE(lane.may_probe(now + 1s + 199ms));
    CHECK(lane.may_probe(now + 1s + 200ms));
    lane.proved_at_address();
    lane.answered();
    CHECK(lane.reachable());
}

TEST_CASE("the pauses of a client that proves itself after each failure grow until it has answered a request")
{
    auto lane = make_lane(2, 3, {.first_pause = 100ms});
    lane.proved_at_address();
    lane.failed(now);
    lane.proved_at_address();
    CHECK(lane.reachable());
    lane.failed(now);
    CHECK_FALSE(lane.may_probe(now + 199ms));
    CHECK(lane.may_probe(now + 200ms));
    lane.proved_at_address();
    lane.answered();
    lane.failed(now);
    CHECK(lane.may_probe(now + 100ms));
}

TEST_CASE("what a client may have got is not sent again once it has failed for too long")
{
    auto lane = make_lane(3, 3, {.repeat = 1min, .doubt_after = 5s});
    auto sent = make_delivery(1);
    sent.bound = true;
    sent.first_sent = now;
    lane.put(std::move(sent));
    lane.put(make_delivery(2));
    CHECK(lane.take_old(now + 59s).empty());
    lane.failed(now + 59s);
    CHECK(lane.take_old(now + 59s).empty());
    lane.put_first([] {
        auto later = make_delivery(3);
        later.bound = true;
        return later;
    }());
    CHECK(lane.take_old(now + 64s).size() == 2);
    CHECK(lane.waiting().size() == 1);
}

TEST_CASE("a client that proves itself again and again but answers no question for its ttl is hopeless")
{
    auto lane = make_lane(2, 3);
    lane.proved_at_address();
    lane.question_waits(now);
    lane.failed(now);
    lane.proved_at_address();
    lane.question_waits(now + 9s);
    CHECK_FALSE(lane.failing_since());
    CHECK_FALSE(lane.hopeless(now + 14s, 15s));
    CHECK(lane.hopeless(now + 15s, 15s));
    lane.question_waits(now + 1h); // about another doubt
    CHECK_FALSE(lane.hopeless(now + 1h, 15s));
    lane.question_waits(now + 1h + 9s);
    lane.question_answered();
    CHECK_FALSE(lane.hopeless(now + 1h + 15s, 15s));
}

TEST_CASE("a client without work whose last execution was taken back is probed until it is reachable")
{
    auto lane = make_lane(2, 3);
    lane.failed(now);
    lane.put(make_delivery(1));
    lane.proved_at_address();
    lane.take_all();
    CHECK(lane.may_probe(now + 1h));
    lane.proved_at_address();
    CHECK(lane.reachable());
}

TEST_CASE("a client that never proved itself is unreachable at once, another one after its ttl")
{
    using protocol::reach;
    auto lane = make_lane(1, 0);
    CHECK(lane.reach(now, 15s) == reach::pending);
    lane.failed(now);
    CHECK(lane.reach(now, 15s) == reach::unreachable);
    lane.proved_at_address();
    CHECK(lane.reach(now, 15s) == reach::reachable);
    lane.failed(now);
    CHECK(lane.reach(now + 14s, 15s) == reach::reachable);
    lane.failed(now + 14s);
    CHECK(lane.reach(now + 15s, 15s) == reach::unreachable);
    auto who = lane.who();
    who.address = "http://127.0.0.2:1";
    lane.update(who);
    CHECK(lane.reach(now + 15s, 15s) == reach::pending);
}

TEST_CASE("another address has to prove itself, the same address keeps its proof")
{
    auto lane = make_lane(2, 3);
    lane.proved_at_address();
    auto who = lane.who();
    lane.update(who);
    CHECK(lane.proved());
    who.address = "http://127.0.0.2:1";
    lane.update(who);
    CHECK_FALSE(lane.proved());
    CHECK_FALSE(lane.takes_work());
    CHECK(lane.may_probe(now));
}

TEST_CASE("the pause before a failing client is tried again doubles up to its limit")
{
    auto lane = make_lane(1, 0, {.first_pause = 100ms, .longest_pause = 1s});
    for (auto const pause : {100ms, 200ms, 400ms, 800ms, 1'000ms, 1'000ms}) {
        lane.failed(now);
        CHECK_FALSE(lane.may_probe(now + pause - 1ms));
        CHECK(lane.may_probe(now + pause));
    }
}

TEST_CASE("executions that wait for a client, are on their way or are with it take its room")
{
    auto lane = make_lane(1, 3);
    lane.proved_at_address();
    CHECK(lane.has_free_slot(now));
    lane.put(make_delivery(1));
    lane.put(make_delivery(2));
    CHECK_FALSE(lane.has_free_slot(now));
    CHECK(lane.room(now) == 2);
    auto const group = lane.take_group(now);
    CHECK(group.size() == 2);
    CHECK(lane.room(now) == 2);
    lane.group_ended();
    for (auto const& one : group)
        lane.has({one.what.work.execution, 1}, now);
    CHECK(lane.room(now) == 2);
    lane.ended({execution_id{1}, 1}, now);
    lane.ended({execution_id{1}, 1}, now); // a repeated result
    CHECK(lane.room(now) == 3);
}

TEST_CASE("a client has one request at a time, however many executions wait for it")
{
    auto lane = make_lane(100, 0, {.group = 3});
    lane.proved_at_address();
    CHECK_FALSE(lane.may_send());
    for (std::int64_t id = 1; id <= 9; ++id)
        lane.put(make_delivery(id));
    CHECK(lane.may_send());
    lane.take_group(now);
    CHECK_FALSE(lane.may_send());
    lane.group_ended();
    CHECK(lane.may_send());
}

TEST_CASE("a request is bounded by number and by bytes, and takes at least one execution")
{
    auto lane = make_lane(100, 0, {.group = 3, .bytes = 100});
    lane.proved_at_address();
    for (std::int64_t id = 1; id <= 4; ++id)
        lane.put(make_delivery(id, 10));
    CHECK(lane.take_group(now).size() == 3);
    lane.group_ended();
    lane.put(make_delivery(5, 95)); // 4 and 5 have 105 bytes
    lane.put(make_delivery(6, 500));
    CHECK(lane.take_group(now).size() == 1);
    CHECK(lane.take_group(now).size() == 1);
    CHECK(lane.take_group(now).front().what.work.execution == execution_id{6});
}

TEST_CASE("an execution that may begin at most once waits for a free slot, and those behind it wait as well")
{
    auto lane = make_lane(2, 10);
    lane.proved_at_address();
    for (std::int64_t id = 1; id <= 4; ++id) {
        auto one = make_delivery(id);
        one.what.once = id == 3;
        lane.put(std::move(one));
    }
    CHECK(lane.take_group(now).size() == 2);
    for (std::int64_t id = 1; id <= 2; ++id)
        lane.has({execution_id{id}, 1}, now);
    lane.group_ended();
    CHECK(lane.take_group(now).empty());
    CHECK(lane.waiting().size() == 2);
    lane.ended({execution_id{1}, 1}, now);
    auto const group = lane.take_group(now);
    CHECK(group.size() == 2);
    CHECK(group.front().what.work.execution == execution_id{3});
}

TEST_CASE("after a request that was too large the next one has half as many executions, until one is answered")
{
    auto lane = make_lane(100, 0, {.group = 8});
    for (std::int64_t id = 1; id <= 30; ++id)
        lane.put(make_delivery(id));
    CHECK(lane.halve(8));
    CHECK(lane.take_group(now).size() == 4);
    CHECK(lane.halve(4));
    CHECK(lane.take_group(now).size() == 2);
    lane.proved_at_address();
    lane.answered();
    CHECK(lane.take_group(now).size() == 4);
    CHECK_FALSE(lane.halve(1)); // a single one is too large by itself
}

TEST_CASE("a heartbeat with free slots corrects executions whose end another node has recorded")
{
    auto lane = make_lane(2, 2);
    for (std::int64_t id = 1; id <= 3; ++id)
        lane.has({execution_id{id}, 1}, now);
    lane.told_free_slots(0, now + 5s); // all busy: nothing is known of its queue
    CHECK(lane.room(now) == 1);
    lane.told_free_slots(1, now + 5s);
    CHECK(lane.room(now) == 3);
    lane.told_free_slots(2, now + 10s);
    CHECK(lane.room(now) == 4);
}

TEST_CASE("a client that takes fewer than this node counts has no room for a while")
{
    auto lane = make_lane(2, 2);
    lane.told_room(1, now, 100ms);
    CHECK(lane.room(now) == 1);
    CHECK(lane.room(now + 100ms) == 4);
    lane.told_room(0, now, 100ms);
    CHECK(lane.room(now) == 0);
}

TEST_CASE("a client stalls when all its slots have been busy for a while without an end")
{
    auto lane = make_lane(2, 5);
    lane.has({execution_id{1}, 1}, now);
    CHECK_FALSE(lane.stalled(now + 10s, 1s)); // a slot is free
    lane.has({execution_id{2}, 1}, now);
    CHECK_FALSE(lane.stalled(now + 999ms, 1s));
    CHECK(lane.stalled(now + 1s, 1s));
    lane.has({execution_id{3}, 1}, now);
    lane.ended({execution_id{1}, 1}, now + 1s);
    CHECK_FALSE(lane.stalled(now + 1'500ms, 1s));
}

TEST_CASE("a delivery that was not answered for long is not sent again, but one that never left may still be")
{
    auto lane = make_lane(4, 4, {.repeat = 1min});
    lane.put(make_delivery(1));
    auto group = lane.take_group(now);
    lane.group_ended();
    REQUIRE(group.size() == 1);
    group.front().bound = true;
    lane.put(std::move(group.front()));
    lane.put(make_delivery(2));
    CHECK(lane.take_old(now + 1min - 1us).empty());
    group = lane.take_group(now + 30s); // a repetition does not count as the first time
    lane.group_ended();
    for (auto& one : group)
        lane.put(std::move(one));
    auto const old = lane.take_old(now + 1min);
    REQUIRE(old.size() == 1);
    CHECK(old.front().what.work.execution == execution_id{1});
    CHECK(lane.waiting().size() == 1);
}

} // namespace client_lane_test
