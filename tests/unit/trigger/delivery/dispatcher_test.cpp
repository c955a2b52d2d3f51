// Assignments: which are taken, to which client, and what becomes of them before they are sent.

#include "tests/unit/trigger/delivery/dispatcher_stage.hpp"

#include <catch2/catch.hpp>

namespace dispatcher_test {

using namespace baton;
using namespace baton::trigger;
using protocol::ack;
using fake_calls = test::fake_client_calls;
using test::ids;
using fixture = test::dispatcher_stage;

TEST_CASE("an assignment with a tag reaches only clients with the tag")
{
    fixture f;
    f.add("a");
    f.add("b", 10, 0, {"/gpu", "h"});
    f.assign({1, 2, 3, 4}, 1, "{}", "gpu");
    f.pass();
    CHECK(f.calls.to("a").empty());
    CHECK(f.calls.to("b").size() == 4);
}

TEST_CASE("an assignment reaches a client in one request, and the master hears who has it")
{
    fixture f;
    f.add("a");
    CHECK(f.assign({1, 2, 3}) == 3);
    CHECK(f.deliveries.load() == 3);
    f.pass();
    REQUIRE(f.calls.sent.size() == 1);
    CHECK(f.calls.to("a") == ids({1, 2, 3}));
    CHECK(f.told() == fixture::words{"1 at a", "2 at a", "3 at a"});
    CHECK(f.deliveries.load() == 0);
}

TEST_CASE("work for which no client has room goes back at once, under the number of its latest assignment")
{
    fixture f;
    f.add("a", 1);
    f.assign({1, 2});
    f.pass();
    CHECK(f.told() == fixture::words{"2 no_room", "1 at a"});
    std::vector<std::int64_t> numbers;
    for (auto const& one : f.heard)
        for (auto const& back : one.undelivered)
            numbers.push_back(back.number);
    CHECK(numbers == std::vector<std::int64_t>{1});
    CHECK(f.deliveries.load() == 0);
}

TEST_CASE("a node that carries as much as it may takes only the first of an assignment")
{
    dispatcher_settings settings;
    settings.queue_limit = 2;
    fixture f(settings);
    f.add("a");
    CHECK(f.assign({1, 2, 3}) == 2);
    f.pass();
    CHECK(f.calls.to("a") == ids({1, 2}));
}

TEST_CASE("a repeated assignment of what a client has is answered, and not delivered again")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.pass();
    f.assign({1});
    f.pass();
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.told() == fixture::words{"1 at a", "1 at a"});
}

TEST_CASE("work that waits for a client which leaves goes back as never sent")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.move_away("a"); // before the dispatcher's next step
    f.pass();
    CHECK(f.calls.sent.empty());
    CHECK(f.told() == fixture::words{"1 no_room"});
}

TEST_CASE("a master takes back what waits, from whichever clients it waits for, and nothing that was sent")
{
    fixture f;
    for (auto const* name : {"a", "b", "c"})
        f.add(name);
    f.assign({1, 2, 3});
    f.pass(500us); // on its way to each
    f.assign({4, 5, 6, 7, 8, 9});
    auto withdrawn = f.deliveries.withdraw(ids({1, 4, 6, 8, 99}));
    std::sort(withdrawn.begin(), withdrawn.end());
    CHECK(withdrawn == ids({4, 6, 8}));
    CHECK(f.deliveries.load() == 6);
    f.pass();
    auto told = f.told();
    CHECK(told.size() == 6);
    CHECK(std::none_of(told.begin(), told.end(), [](auto const& word) { return word.front() == '4'; }));
    CHECK(f.assign({4}) == 1); // forgotten: it may come again
    f.pass();
    CHECK(f.told().size() == 7);
}

TEST_CASE("an execution that may have reached a client cannot be taken back")
{
    fixture f;
    f.add("a");
    f.calls.unproved.insert("a");
    f.calls.responders["a"] = [](auto const&) { return fake_calls::none(true); };
    f.assign({1});
    f.pass();
    CHECK(f.deliveries.withdraw(ids({1})).empty());
    CHECK(f.deliveries.load() == 1);
}

TEST_CASE("a later attempt takes the place of an earlier one that waits")
{
    fixture f;
    f.add("a");
    f.add("b");
    f.assign({1, 2, 3, 4}, 1);
    f.assign({1, 2}, 2);
    CHECK(f.deliveries.load() == 4);
    f.pass();
    CHECK(f.told().size() == 4);
    CHECK(f.calls.to("a").size() + f.calls.to("b").size() == 4);
}

TEST_CASE("the answer to a group that was sent under an older epoch means nothing")
{
    fixture f;
    f.add("a");
    f.calls.takes = 50ms;
    f.assign({1});
    f.pass(10ms);
    f.assign({2}); // waits for the first request
    f.right.present.epoch = 6;
    f.deliveries.new_epoch();
    f.pass(1s);
    CHECK(f.told().empty());
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.deliveries.load() == 0);
    f.last_number = 0;
    f.assign({2});
    f.pass(1s);
    CHECK(f.told() == fixture::words{"2 at a"});
}

TEST_CASE("a node that may count as gone takes no assignment, and drops what it has not sent")
{
    fixture f;
    f.add("a");
    f.assign({1});
    f.right.is_valid = false;
    f.pass();
    CHECK(f.calls.sent.empty());
    CHECK(f.deliveries.load() == 0);
    CHECK(f.assign({2}) == 0);
}

TEST_CASE("a node sends nothing for its own master while that may not act")
{
    fixture f;
    f.add("a");
    f.right.leads = false;
    f.assign({1});
    f.pass(1s);
    CHECK(f.calls.sent.empty());
    f.right.leads = true;
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({1}));
}

// Its own clock shows no pause: only the count of lapses tells.
TEST_CASE("a node whose membership had lapsed and is valid again drops what it has not sent")
{
    fixture f;
    f.add("a");
    f.right.leads = false;
    f.assign({1});
    f.pass(1s);
    REQUIRE(f.deliveries.load() == 1);
    ++f.right.lapsed;
    f.right.leads = true;
    f.pass(1s);
    CHECK(f.calls.sent.empty());
    CHECK(f.deliveries.load() == 0);
    f.assign({2});
    f.pass(1s);
    CHECK(f.calls.to("a") == ids({2}));
}

TEST_CASE("a node that stops gives back at once what waits behind a request that hangs, and not its group")
{
    fixture f;
    f.calls.takes = 5s;
    f.add("a");
    f.assign({1, 2});
    f.pass();
    REQUIRE(f.calls.to("a") == ids({1, 2}));
    f.assign({3, 4});
    f.deliveries.give_back_stuck(); // the client may be about to answer
    f.pass();
    CHECK(f.told().empty());
    f.pass(200ms);
    f.deliveries.give_back_stuck();
    f.pass();
    CHECK(f.told() == fixture::words{"3 no_room", "4 no_room"});
    CHECK(f.deliveries.load() == 2);
    f.pass(5s);
    CHECK(f.hears(execution_id{1}, "at a"));
    CHECK(f.hears(execution_id{2}, "at a"));
    CHECK(f.calls.to("a") == ids({1, 2}));
}

TEST_CASE("a client that refuses for want of room gets nothing for the pause, whatever room it names beside")
{
    fixture f;
    f.add("a", 1);
    f.calls.responders["a"] = [&](auto const& message) {
        return fake_calls::all(message, f.calls.sent.size() == 1 ? ack::moved : ack::accepted);
    };
    f.assign({1});
    f.pass(1s);
    f.assign({2});
    f.pass(900ms);
    CHECK(f.calls.to("a") == ids({1}));
    CHECK(f.told() == fixture::words{"1 no_room", "2 no_room"});
    f.pass(200ms);
    f.assign({3});
    f.pass();
    CHECK(f.calls.to("a") == ids({1, 3}));
}

} // namespace dispatcher_test
