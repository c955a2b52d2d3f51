// Executions that a home asks for before they begin.

#include "tests/unit/client-sdk/engine_stage.hpp"

#include <catch2/catch.hpp>

namespace give_back_test {

using namespace baton;
using namespace baton::client;
using protocol::ack;
using keys = std::vector<protocol::attempt_key>;

namespace {

struct fixture : stage {
    fixture() : stage({.slots = 1, .queue = 10})
    {
        take(1);
        start();
        take(2);
        take(3, 2);
    }
    keys recall(std::vector<std::int64_t> const& numbers, int attempt = 2)
    {
        std::vector<execution_id> ids;
        for (auto const number : numbers)
            ids.push_back(execution_id{number});
        return it.give_back(ids, std::vector<int>(ids.size(), attempt), at);
    }
};

keys const both{{execution_id{2}, 1}, {execution_id{3}, 2}};

} // namespace

TEST_CASE("a client gives back what it has not begun, and names it again when asked again")
{
    fixture f;
    CHECK(f.recall({1, 2, 3, 4}) == both);
    CHECK(f.recall({1, 2, 3, 4}) == both);
    CHECK(f.it.query(std::vector{execution_id{2}}, f.at).empty());
    f.finish(1);
    CHECK(f.start().empty());
    CHECK(f.it.free() == 11 - 0);
}

TEST_CASE("a queued attempt that is later than the one asked for stays")
{
    fixture f;
    CHECK(f.recall({2, 3}, 1) == keys{{execution_id{2}, 1}});
}

TEST_CASE("what was given back begins if it is dispatched again, and is not named any more")
{
    fixture f;
    f.recall({2, 3});
    CHECK(f.take(2).answer == ack::accepted);
    CHECK(f.take(3, 1).answer == ack::finished); // an earlier attempt
    CHECK(f.take(3, 3).answer == ack::accepted);
    CHECK(f.it.given_back(f.at).empty());
    f.finish(1);
    CHECK(f.start().size() == 1);
    CHECK(f.recall({2}).empty());
}

TEST_CASE("the next home hears what the client has, and what runs first")
{
    fixture f;
    CHECK(f.it.attempts(10) == keys{{execution_id{1}, 1}, {execution_id{2}, 1}, {execution_id{3}, 2}});
    CHECK(f.it.attempts(1) == keys{{execution_id{1}, 1}});
    f.recall({2});
    f.finish(1);
    CHECK(f.it.attempts(10) == keys{{execution_id{3}, 2}});
}

TEST_CASE("after a question the attempt that was given back is refused")
{
    fixture f;
    f.recall({2});
    protocol::query_request asked;
    asked.executions = {execution_id{2}};
    asked.attempts = {1};
    CHECK(f.it.query(asked, f.at).empty());
    CHECK(f.take(2).answer == ack::finished);
    CHECK(f.recall({2}).empty());
    CHECK(f.take(2, 2).answer == ack::accepted);
}

TEST_CASE("what was given back is told to the next home for a minute")
{
    fixture f;
    f.recall({2, 3});
    CHECK(f.it.given_back(f.at) == both);
    f.take(2);
    CHECK(f.it.given_back(f.at) == keys{{execution_id{3}, 2}});
    f.pass(61s);
    CHECK(f.it.given_back(f.at).empty());
}

} // namespace give_back_test
