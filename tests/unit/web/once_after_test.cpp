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

} // namespace once_after_test
