#include "cli/edit_document.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

namespace edit_document_test {
namespace {

using namespace baton;
using namespace baton::cli;

nlohmann::json const task{{"id", "7"},
                          {"version", 3},
                          {"next_fire_at", nullptr},
                          {"name", "close"},
                          {"description", ""},
                          {"payload", {{"day", "today"}}},
                          {"schedule", {{"kind", "cron"}, {"cron", "0 2 * * *"}, {"zone", "UTC"}}},
                          {"max_attempts", 1}};

nlohmann::json after(std::string const& setting)
{
    auto definition = definition_of(task);
    apply_setting(definition, setting);
    return definition;
}

} // namespace

TEST_CASE("a person edits the definition without the members that only the server writes")
{
    auto const definition = definition_of(task);
    CHECK(definition.size() == 5);
    CHECK(definition.at("max_attempts") == 1);
    CHECK_FALSE(definition.contains("id"));
    CHECK_FALSE(definition.contains("next_fire_at"));
}

TEST_CASE("a setting changes one member, also inside the schedule and the payload")
{
    CHECK(after("max_attempts=5").at("max_attempts") == 5);
    CHECK(after("schedule.cron=0 3 * * *").at("schedule") ==
          nlohmann::json{{"kind", "cron"}, {"cron", "0 3 * * *"}, {"zone", "UTC"}});
    CHECK(after("payload.a.b=[1]").at("payload") == nlohmann::json{{"day", "today"}, {"a", {{"b", {1}}}}});
    CHECK(after("schedule={\"kind\": \"api\"}").at("schedule") == nlohmann::json{{"kind", "api"}});
    CHECK(after("description=a=b").at("description") == "a=b");
}

TEST_CASE("another kind of schedule takes the members away that only the former kind has, in any order of the settings")
{
    auto const schedule_after = [](std::vector<std::string> const& settings) {
        auto definition = definition_of(task);
        definition["schedule"]["end_at"] = "2027-01-01T00:00:00Z";
        apply_settings(definition, settings);
        return definition.at("schedule");
    };
    nlohmann::json const rate{{"kind", "fixed_rate"}, {"every_ms", 60000}, {"end_at", "2027-01-01T00:00:00Z"}};
    CHECK(schedule_after({"schedule.kind=fixed_rate", "schedule.every_ms=60000"}) == rate);
    CHECK(schedule_after({"schedule.every_ms=60000", "schedule.kind=fixed_rate"}) == rate);
    CHECK(schedule_after({"schedule.kind=api"}) == nlohmann::json{{"kind", "api"}});
    CHECK(schedule_after({"schedule.kind=cron"}).at("cron") == "0 2 * * *");
}

TEST_CASE("a member of the schedule without its path is refused with the path")
{
    try {
        check_settable(task, "zone=Europe/Berlin");
        FAIL("it was accepted");
    } catch (baton::invalid_input const& wrong) {
        CHECK(wrong.field() == "--set");
        CHECK(std::string(wrong.what()) == "a task has no member 'zone'; did you mean 'schedule.zone'?");
    }
    CHECK_NOTHROW(check_settable(task, "schedule.zone=Europe/Berlin"));
}

TEST_CASE("the value of a text member stays text, and other values are JSON if they can be")
{
    CHECK(after("name=2024").at("name") == "2024");
    CHECK(after("routing=failover").at("routing") == "failover");
    CHECK(after("payload=true").at("payload") == true);
    CHECK(after("schedule.start_at=2026-12-24T18:00:00Z").at("schedule").at("start_at") == "2026-12-24T18:00:00Z");
}

TEST_CASE("an empty value empties a text and removes another member, which then has its default")
{
    CHECK(after("name=").at("name") == "");
    CHECK_FALSE(after("max_attempts=").contains("max_attempts"));
}

TEST_CASE("a member of a null or of a missing object cannot be removed, and the error names it and the remedy")
{
    auto definition = definition_of(task);
    definition["payload"] = nullptr;
    for (auto const* setting : {"payload.a=", "absent.a=", "payload.a.b="}) {
        INFO(setting);
        try {
            auto copy = definition;
            apply_setting(copy, setting);
            FAIL("was taken");
        } catch (invalid_input const& wrong) {
            std::string const path(setting, std::string_view(setting).size() - 1);
            CHECK(wrong.field() == "--set");
            CHECK(std::string(wrong.what()).find("'" + path + "' cannot be removed: leave this --set out") !=
                  std::string::npos);
        }
    }
    apply_setting(definition, "payload.a=1");
    CHECK(definition.at("payload") == nlohmann::json{{"a", 1}});
}

TEST_CASE("a value whose JSON has a key twice is refused with the member")
{
    CHECK_THROWS_WITH(after("payload={\"a\": 1, \"a\": 2}"), "the value of 'payload': payload.a is given twice");
}

TEST_CASE("a setting without a member or below a text is refused")
{
    for (auto const* wrong : {"max_attempts", "=5", "name.x=1"}) {
        INFO(wrong);
        CHECK_THROWS_AS(after(wrong), invalid_input);
    }
}

} // namespace edit_document_test
