#include "libs/base/error.hpp"
#include "libs/protocol/offers.hpp"
#include "libs/protocol/payload_key.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace route_test {

using namespace baton;
using namespace baton::protocol;

namespace {

nlohmann::json task_with(nlohmann::json const& members)
{
    nlohmann::json task{{"name", "a"},
                        {"service", "s"},
                        {"handler", "h"},
                        {"payload", {{"customer", 7}}},
                        {"schedule", {{"kind", "fixed_rate"}, {"every_ms", 1000}}}};
    task.update(members);
    return task;
}

std::string refusal(nlohmann::json const& members)
{
    try {
        (void)parse_task(task_with(members));
        return "";
    } catch (invalid_input const& failure) {
        return failure.field() + ": " + failure.what();
    }
}

} // namespace

TEST_CASE("a task keeps its routing with the members of its route that belong to it", "[protocol]")
{
    for (auto const& members :
         {nlohmann::json{{"routing", "first"}, {"route", {{"tag", "gpu"}}}},
          nlohmann::json{{"routing", "consistent_hash"}, {"route", {{"tag", ""}, {"key", "/customer"}}}},
          nlohmann::json{{"routing", "instance"}, {"route", {{"tag", ""}, {"instance", "build-7"}}}},
          nlohmann::json{{"routing", "broadcast"}, {"route", {{"tag", "eu"}, {"shards", 16}, {"ends", "any"}}}}}) {
        auto const written = to_json(parse_task(task_with(members)));
        CHECK(written.at("routing") == members.at("routing"));
        CHECK(written.at("route") == members.at("route"));
        CHECK(parse_task(written).route == parse_task(task_with(members)).route);
    }
    CHECK(to_json(parse_task(task_with(nlohmann::json::object()))).at("route") == nlohmann::json{{"tag", ""}});
}

TEST_CASE("a route that does not fit the routing is refused with the field and an example", "[protocol]")
{
    CHECK(refusal({{"routing", "consistent_hash"}}) ==
          "route.key: route.key is required for routing consistent_hash, such as /customer");
    CHECK(refusal({{"routing", "instance"}}) ==
          "route.instance: route.instance is required for routing instance, such as build-7");
    CHECK(refusal({{"route", {{"key", "/customer"}}}}) ==
          "route.key: route.key is only for routing consistent_hash: leave it out");
    CHECK(refusal({{"routing", "first"}, {"route", {{"shards", 4}}}}) ==
          "route.shards: route.shards is only for routing broadcast: leave it out");
    CHECK(refusal({{"routing", "broadcast"}, {"route", {{"shards", 1}}}}).starts_with("route.shards: "));
    CHECK(refusal({{"routing", "consistent_hash"}, {"route", {{"key", "customer"}}}}).find("JSON pointer") !=
          std::string::npos);
    CHECK(refusal({{"route", {{"tag", "two words"}}}}).find("such as gpu") != std::string::npos);
    CHECK(refusal({{"routing", "consistent_hash"}, {"route", {{"key", "/other"}}}}).starts_with("payload: "));
    CHECK(refusal({{"routing", "nearest"}}).starts_with("routing: "));
}

TEST_CASE("a patch with another routing keeps the tag of the route only", "[protocol]")
{
    auto const task = parse_task(task_with({{"routing", "instance"}, {"route", {{"tag", "gpu"}, {"instance", "a"}}}}));
    auto const patched = patch_task(task, {{"routing", "first"}});
    CHECK(patched.route.tag == "gpu");
    CHECK(patched.route.instance.empty());
    CHECK(patch_task(task, {{"owner", "x"}}).route == task.route);
    CHECK(patch_task(task, {{"route", {{"instance", "b"}}}}).route.tag.empty()); // the whole route is replaced
    CHECK_THROWS_AS(patch_task(task, {{"route", nullptr}}), invalid_input);
}

TEST_CASE("the name of an instance matches itself, and its beginning up to the end of a word", "[protocol]")
{
    CHECK(names_instance("build-7", "build-7"));
    CHECK(names_instance("build-7:4711:ab", "build-7"));
    CHECK(names_instance("build-7~1", "build-7"));
    CHECK_FALSE(names_instance("build-70:4711", "build-7"));
    CHECK_FALSE(names_instance("build-", "build-7"));
}

TEST_CASE("offers meet the demand for a handler, and for a handler at a client with a tag", "[protocol]")
{
    std::set<std::string> const offers{"/eu", "/gpu", "paint", "resize"};
    CHECK(meets(offers, demand_for("resize", "")));
    CHECK(meets(offers, demand_for("resize", "gpu")));
    CHECK_FALSE(meets(offers, demand_for("resize", "us")));
    CHECK_FALSE(meets(offers, demand_for("print", "gpu")));
    CHECK_FALSE(meets(offers, demand_for("gpu", "")));
    std::set<std::string> demands;
    each_demand(offers, [&](std::string const& demand) { demands.insert(demand); });
    CHECK(demands == std::set<std::string>{"paint", "paint/eu", "paint/gpu", "resize", "resize/eu", "resize/gpu"});
    std::vector<std::string> const listed(offers.begin(), offers.end());
    CHECK(tags_in(listed) == std::vector<std::string>{"eu", "gpu"});
    CHECK(handlers_in(listed) == std::vector<std::string>{"paint", "resize"});
}

TEST_CASE("the key of a payload has the same hash everywhere, and another value another one", "[protocol]")
{
    route_spec route;
    route.key = "/customer";
    auto const hash = [&](char const* payload) { return key_hash(route, json_text::check(payload, "payload")); };
    CHECK(hash(R"({"customer": 7})") == stable_hash("7"));
    CHECK(hash(R"({"customer": 7, "x": 1})") == hash(R"({"customer": 7})"));
    CHECK(hash(R"({"customer": 8})") != hash(R"({"customer": 7})"));
    CHECK(hash("{}") == hash("[]"));
    CHECK(stable_hash("7") == 0x7aedddb772826587u);
}

} // namespace route_test
