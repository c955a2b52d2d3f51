#include "libs/base/error.hpp"
#include "libs/protocol/service_settings.hpp"

#include <catch2/catch.hpp>

namespace service_settings_test {

using namespace baton;
using namespace baton::protocol;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("the settings of a service are read strictly and shown whole", "[protocol]")
{
    CHECK(parse_service_settings(json::object()) == service_settings{});
    json const document{
        {"limits", {{"concurrency", 20}, {"rate", {{"limit", 100}, {"per_ms", 60'000}, {"burst", 7}}}}}};
    auto const read = parse_service_settings(document);
    CHECK(read.limits == scope_limits{20, {100, 60s, 7}});
    CHECK(to_json(read) == document);

    CHECK_THROWS_WITH(parse_service_settings({{"limits", {{"concurrency", -1}}}}),
                      Contains("limits.concurrency must be a whole number from 0"));
    CHECK_THROWS_WITH(parse_service_settings({{"limits", {{"rate", {{"limit", 1}, {"per_ms", 10}}}}}}),
                      Contains("limits.rate.per_ms must be a whole number from 1000"));
    CHECK_THROWS_WITH(parse_service_settings({{"limits", {{"rate", nlohmann::json::object()}}}}),
                      Contains("limits.rate.limit is required, such as in {") && Contains("0: no rate"));
    CHECK_THROWS_WITH(parse_rate({{"limit", 0}, {"per_ms", 1'000}}, "rate"),
                      Contains("rate.per_ms needs a limit above 0"));
    CHECK_THROWS_WITH(parse_service_settings({{"limits", {{"rates", 1}}}}),
                      Contains("unknown field 'limits.rates'; leave it out, the fields here are: concurrency, rate"));
    CHECK_THROWS_WITH(parse_service_settings({{"limit", 1}}), Contains("unknown field 'limit'; leave it out"));
}

TEST_CASE("without a burst a rate may make up for half a second", "[protocol]")
{
    auto const burst = [](int limit, int per_ms) {
        return parse_rate({{"limit", limit}, {"per_ms", per_ms}}, "rate").burst;
    };
    CHECK(burst(1, 60'000) == 1);
    CHECK(burst(1, 1'000) == 1);
    CHECK(burst(10, 1'000) == 6);
    CHECK(burst(100, 1'000) == 51);
    CHECK(burst(1'000'000, 1'000) == 500'001);
}

TEST_CASE(
    "defaults with a time-out above their limit of all attempts are refused when they come in, and read when stored")
{
    auto const settings =
        parse_service_settings({{"defaults", {{"timeout_ms", 6'000}, {"limits", {{"total_ms", 5'000}}}}}});
    CHECK_THROWS_WITH(check_new_defaults(settings), Contains("defaults.timeout_ms must not be above limits.total_ms"));
    CHECK_NOTHROW(check_new_defaults(parse_service_settings({{"defaults", {{"timeout_ms", 6'000}}}})));
}

} // namespace service_settings_test
