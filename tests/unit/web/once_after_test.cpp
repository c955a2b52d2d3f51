#include "libs/base/error.hpp"
#include "web/once_after.hpp"

#include <catch2/catch.hpp>

namespace once_after_test {

using namespace baton;
using namespace baton::web;
using nlohmann::json;

TEST_CASE("a task that fires once after a span has the instant that the span ends at")
{
    auto const now = from_rfc3339("2026-12-24T16:00:00Z");
    auto const after = [&](char const* schedule) { return once_after({{"schedule", json::parse(schedule)}}, now); };
    json const at{{"kind", "once"}, {"at", "2026-12-24T18:00:00.000000Z"}};
    CHECK(after(R"({"kind": "once", "in_ms": 7200000})").at("schedule") == at);
    CHECK(after(R"({"in_ms": 7200000})").at("schedule") == json{{"at", at["at"]}}); // of a patch
    for (auto const* const other : {R"({"kind": "once", "at": "2026-12-24T18:00:00Z"})",
                                    R"({"kind": "cron", "in_ms": 5})", R"({"kind": 7, "in_ms": 5})", "[]", "null"})
        CHECK(after(other).at("schedule") == json::parse(other));
    for (auto const& other : {json(7), json{{"name", "n"}}})
        CHECK(once_after(other, now) == other);
    for (auto const* const wrong :
         {R"({"kind": "once", "in_ms": 0})", R"({"kind": "once", "in_ms": "2h"})", R"({"kind": "once", "in_ms": null})",
          R"({"kind": "once", "in_ms": 31622400001})", R"({"kind": "once", "in_ms": 1, "at": "2026-12-24T18:00:00Z"})"})
        CHECK_THROWS_AS(after(wrong), invalid_input);
}

TEST_CASE("a refusal names the instant or the span of a schedule, whichever the caller wrote")
{
    refused const past(422, "schedule.at lies in the past", "schedule.at");
    auto const field = [&](char const* schedule, refused const& refusal) {
        return as_written({{"schedule", json::parse(schedule)}}, refusal, 1s).field();
    };
    CHECK(field(R"({"kind": "once", "in_ms": 5})", past) == "schedule.in_ms");
    CHECK(field(R"({"in_ms": 5})", past) == "schedule.in_ms"); // of a patch
    CHECK(field(R"({"kind": "once", "at": "2001-01-01T00:00:00Z"})", past) == "schedule.at");
    CHECK(field(R"({"kind": "once", "in_ms": 5})", refused(422, "", "name")) == "name");
    CHECK(as_written(json(7), past, 1s).field() == "schedule.at");
    CHECK(std::string(as_written({{"schedule", {{"in_ms", 5}}}}, past, 1500ms).what()).find("must be above 1500 by") !=
          std::string::npos);
}

} // namespace once_after_test
