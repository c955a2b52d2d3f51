#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

namespace concurrency_test {

using namespace baton;
using namespace baton::protocol;
using Catch::Contains;
using nlohmann::json;

namespace {

json task_with(json concurrency, json payload = json::object(), char const* kind = "api")
{
    json schedule{{"kind", kind}};
    if (schedule["kind"] == "fixed_rate")
        schedule["every_ms"] = 1'000;
    return {{"name", "a"},
            {"service", "s"},
            {"handler", "h"},
            {"schedule", std::move(schedule)},
            {"payload", std::move(payload)},
            {"concurrency", std::move(concurrency)}};
}

} // namespace

TEST_CASE("the concurrency policy of a task is read strictly and shown whole", "[protocol]")
{
    CHECK(parse_task(task_with(json::object())).concurrency == concurrency_policy{});
    CHECK(to_json(concurrency_policy{}) == json{{"limit", 0}});
    auto const read = parse_task(task_with({{"limit", 3}, {"queue", 10}, {"key", "/customer"}}));
    CHECK(read.concurrency == concurrency_policy{3, when_full::wait, 10, "/customer"});
    CHECK(parse_task(to_json(read)).concurrency == read.concurrency);
    auto const replacing = parse_task(task_with({{"limit", 1}, {"when_full", "replace"}}));
    CHECK(parse_task(to_json(replacing)).concurrency == replacing.concurrency);
    CHECK(patch_task(read, {{"concurrency", {{"limit", 1}}}}).concurrency == concurrency_policy{1});

    CHECK_THROWS_WITH(parse_task(task_with({{"limit", -1}})),
                      Contains("concurrency.limit must be a whole number from 0"));
    CHECK_THROWS_WITH(parse_task(task_with({{"limit", 1}, {"when_full", "forbid"}})),
                      Contains("concurrency.when_full must be one of wait, skip, replace, not 'forbid'"));
    CHECK_THROWS_WITH(parse_task(task_with({{"limit", 1}, {"when_full", "skip"}, {"queue", 1}})),
                      Contains("concurrency.queue is only for concurrency.when_full wait"));
    for (json const& alone :
         {json{{"queue", 1}}, json{{"key", "/customer"}}, json{{"limit", 0}, {"when_full", "skip"}}})
        CHECK_THROWS_WITH(parse_task(task_with(alone)), Contains("needs concurrency.limit, such as in {"));
    CHECK_THROWS_WITH(parse_task(task_with({{"limit", 1}, {"key", "customer"}})),
                      Contains("concurrency.key must be a JSON pointer such as /customer, not 'customer'"));
}

TEST_CASE("a scheduled task whose payload has nothing at its concurrency key is refused", "[protocol]")
{
    json const by_customer{{"limit", 1}, {"key", "/customer"}};
    CHECK_NOTHROW(parse_task(task_with(by_customer, {{"customer", 7}}, "fixed_rate")));
    CHECK_NOTHROW(parse_task(task_with(by_customer))); // each run brings its own payload
    CHECK_THROWS_WITH(parse_task(task_with(by_customer, {{"client", 7}}, "fixed_rate")),
                      Contains("payload has nothing at '/customer', which is the concurrency.key of the task"));
}

TEST_CASE("a key has the same hash for equal values and another for different ones", "[protocol]")
{
    concurrency_policy const by_customer{1, when_full::wait, 0, "/customer"};
    auto const hash = [&](json const& payload) { return key_hash(by_customer, json_text(payload)); };
    CHECK(hash({{"customer", 7}, {"a", 1}}) == hash({{"customer", 7}, {"a", 2}}));
    CHECK(hash({{"customer", 7}}) != hash({{"customer", 8}}));
    CHECK(hash({{"customer", 7}}) != hash({{"customer", "7"}}));
    CHECK(hash({{"a", 1}}) == 0);
    concurrency_policy const by_index{1, when_full::wait, 0, "/0"};
    json const list = json::array({7, 8});
    CHECK(key_hash(by_index, json_text(list)) != 0);
    for (auto const* key : {"/01", "/x", "/-", "/99999999999999999999", "/2", "/0/a"})
        CHECK(key_hash({1, when_full::wait, 0, key}, json_text(list)) == 0);
    CHECK(key_hash({1}, json_text(json{{"customer", 7}})) == 0);
}

} // namespace concurrency_test
