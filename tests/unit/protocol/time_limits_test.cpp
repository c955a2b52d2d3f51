#include "libs/base/error.hpp"
#include "libs/protocol/new_task.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

namespace time_limits_test {

using namespace baton;
using namespace baton::protocol;

namespace {

nlohmann::json task_with(nlohmann::json limits)
{
    return {{"name", "a"},
            {"service", "s"},
            {"handler", "h"},
            {"schedule", {{"kind", "api"}}},
            {"limits", std::move(limits)}};
}

std::string field_at_fault(nlohmann::json limits)
{
    try {
        parse_task(task_with(std::move(limits)));
    } catch (invalid_input const& wrong) {
        return wrong.field();
    }
    return "none";
}

} // namespace

TEST_CASE("limits are read as they are written, and there are none without them")
{
    auto const limits =
        parse_task(task_with({{"start_within_ms", 1000}, {"late_start", "fail"}, {"total_ms", 5000}})).limits;
    CHECK(limits.start_within == 1s);
    CHECK(limits.late_start == late_start::fail);
    CHECK(limits.total == 5s);
    CHECK(parse_time_limits(to_json(limits)) == limits);
    CHECK_FALSE(parse_task(task_with(nlohmann::json::object())).limits.any());
}

TEST_CASE("limits that are wrong are refused with the field")
{
    CHECK(field_at_fault({{"start_within_ms", -1}}) == "limits.start_within_ms");
    CHECK(field_at_fault({{"late_start", "drop"}}) == "limits.late_start");
    CHECK(field_at_fault({{"total_ms", "1h"}}) == "limits.total_ms");
    CHECK(field_at_fault({{"totl_ms", 1}}) == "limits.totl_ms");
    CHECK(field_at_fault({{"start_within_ms", 5000}, {"total_ms", 5000}}) == "limits.start_within_ms");
    CHECK(field_at_fault(nlohmann::json::array()) == "limits");
}

TEST_CASE("a time-out above the limit of all attempts is refused, and one without such a limit is not")
{
    auto const check = [](duration timeout, duration total) {
        task_definition task;
        task.timeout = timeout;
        task.limits.total = total;
        check_new_limits(task);
    };
    CHECK_NOTHROW(check(5s, 5s));
    CHECK_NOTHROW(check(6s, 0s));
    CHECK_NOTHROW(check(0s, 5s));
    CHECK_THROWS_WITH(check(5'001ms, 5s), "timeout_ms must not be above limits.total_ms (5000), which ends all "
                                          "attempts before; lower it or leave it out");
}

TEST_CASE("a patch changes one limit and keeps the others, and a null takes them away")
{
    auto const task = parse_task(task_with({{"start_within_ms", 1000}, {"total_ms", 5000}}));
    auto const changed = patch_task(task, {{"limits", {{"total_ms", 9000}}}});
    CHECK(changed.limits.start_within == 1s);
    CHECK(changed.limits.total == 9s);
    CHECK_FALSE(patch_task(task, {{"limits", nullptr}}).limits.any());
}

} // namespace time_limits_test
