#include "cli/import_plan.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

namespace import_plan_test {
namespace {

using namespace baton;
using namespace baton::cli;

nlohmann::json const registered{{"id", "7"},
                                {"version", 3},
                                {"project", "default"},
                                {"name", "tab-1"},
                                {"description", "imported from /etc/crontab on web1"},
                                {"service", "crontab"},
                                {"handler", "tab-1"},
                                {"payload", {{"a", 1}}},
                                {"schedule", {{"kind", "cron"}, {"cron", "0 2 * * *"}, {"zone", "Europe/Berlin"}}},
                                {"routing", "round_robin"},
                                {"max_attempts", 3},
                                {"enabled", true}};

nlohmann::json definition()
{
    auto wanted = registered;
    for (auto const* key : {"id", "version", "payload", "routing", "max_attempts", "enabled"})
        wanted.erase(key);
    return wanted;
}

} // namespace

TEST_CASE("a task that runs after another one of the file is imported behind it, also in a cycle and beside nonsense")
{
    auto const after = [](char const* name, char const* parent) {
        return nlohmann::json{{"name", name}, {"schedule", {{"kind", "after"}, {"task", parent}}}};
    };
    auto const all = nlohmann::json::array({after("c", "b"),
                                            7,
                                            after("b", "a"),
                                            after("x", "y"),
                                            after("y", "x"),
                                            {{"name", "a"}, {"schedule", {{"kind", "api"}}}},
                                            after("z", "far")});
    std::vector<nlohmann::json> names;
    for (auto const& each : definitions_in(all))
        names.push_back(each.is_object() ? each.at("name") : each);
    CHECK(names == std::vector<nlohmann::json>{"a", "b", "c", 7, "y", "x", "z"});
}

TEST_CASE("a task that an import left as the file has it does not differ, whatever people set at the server")
{
    CHECK(differences_from_file(registered, definition()).empty());
}

TEST_CASE("a definition without `enabled` leaves a task as a person has set it, and another sets it")
{
    auto task = registered;
    task["enabled"] = false;
    CHECK(differences_from_file(task, definition()).empty());

    auto wanted = definition();
    wanted["enabled"] = true;
    auto const found = differences_from_file(task, wanted);
    REQUIRE(found.size() == 1);
    CHECK(enables(found));
    CHECK(import_text(found[0]) == "enabled: false at the server, true in the file");
    CHECK(updated_task(task, found, wanted).at("enabled") == true);

    wanted["enabled"] = false;
    CHECK(differences_from_file(task, wanted).empty());
    auto const off = differences_from_file(registered, wanted);
    REQUIRE(off.size() == 1);
    CHECK_FALSE(enables(off));
    CHECK(updated_task(registered, off, wanted).at("enabled") == false);
}

TEST_CASE("a JSON file has one definition, an array, or a list of tasks, whose read-only members are left out")
{
    auto shown = registered;
    for (auto const* key : {"next_fire_at", "schedule_text", "created_at", "updated_at", "parked_at", "next"})
        shown[key] = "x";
    auto wanted = registered;
    wanted.erase("id");
    wanted.erase("version");
    CHECK(definitions_in(shown) == std::vector{wanted});
    CHECK(definitions_in(nlohmann::json::array({shown, shown})) == std::vector{wanted, wanted});
    CHECK(definitions_in({{"items", {shown}}, {"next", nullptr}}) == std::vector{wanted});
    CHECK_THROWS_WITH(definitions_in({{"items", {shown}}, {"next", "t1"}}), Catch::Contains("--limit"));
    CHECK(definitions_in(nlohmann::json(7)) == std::vector{nlohmann::json(7)}); // each is refused by itself
    auto misspelt = definition();
    misspelt["max_atempts"] = 4;
    CHECK(definitions_in(misspelt) == std::vector{misspelt});
}

TEST_CASE("a difference names the member with both values")
{
    auto wanted = definition();
    wanted["schedule"]["cron"] = "0 3 * * *";
    wanted["service"] = "host-7";
    auto const found = differences_from_file(registered, wanted);
    REQUIRE(found.size() == 2);
    CHECK(import_text(found[0]) == "schedule.cron: \"0 2 * * *\" at the server, \"0 3 * * *\" in the file");
    CHECK(import_text(found[1]) == "service: \"crontab\" at the server, \"host-7\" in the file");
}

TEST_CASE("only a difference of the service or the handler names another handler")
{
    for (auto const& [member, another] : {std::pair{"service", true}, {"handler", true}, {"description", false}}) {
        auto wanted = definition();
        wanted[member] = "x";
        CHECK(names_another_handler(differences_from_file(registered, wanted)) == another);
    }
}

TEST_CASE("the handlers of a service are those of all its clients")
{
    auto const client = [](char const* service, std::vector<std::string> const& handlers) {
        return nlohmann::json{{"project", "default"}, {"service", service}, {"handlers", handlers}};
    };
    auto const live = live_services(
        {{"items", {client("cron-a", {"y", "x"}), client("cron-b", {"z"}), client("cron-a", {"w", "x"})}}});
    REQUIRE(live.size() == 2);
    auto const one = served_in(live, {"default", "cron-a"});
    CHECK(one.instances > 0);
    CHECK(one.handlers == std::vector<std::string>{"w", "x", "y"});
    auto const none = served_in(live, {"default", "cron-c"});
    CHECK(none.instances == 0);
    CHECK(none.others == std::vector<std::string>{"cron-a", "cron-b"});
    CHECK(served_in(live, {"shop", "cron-a"}).others.empty());
    CHECK(live_services({{"items", nlohmann::json::array()}}).empty());
}

TEST_CASE("a difference of the kind of schedule names the members that come and go")
{
    auto wanted = definition();
    wanted["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 5'000}};
    std::vector<std::string> texts;
    for (auto const& each : differences_from_file(registered, wanted))
        texts.push_back(import_text(each));
    CHECK(texts == std::vector<std::string>{"schedule.cron: \"0 2 * * *\" at the server, none in the file",
                                            "schedule.every_ms: none at the server, 5000 in the file",
                                            "schedule.kind: \"cron\" at the server, \"fixed_rate\" in the file",
                                            "schedule.zone: \"Europe/Berlin\" at the server, none in the file"});
}

TEST_CASE("members that the file leaves out of a schedule of the same kind do not differ, and an update keeps them")
{
    auto task = registered;
    task["schedule"]["start_at"] = "2026-12-24T18:00:00.000000Z";
    task["schedule"]["end_at"] = "2027-01-06T18:00:00.000000Z";
    auto wanted = definition();
    wanted["schedule"] = {{"kind", "cron"}, {"cron", "0 2 * * *"}};
    CHECK(differences_from_file(task, wanted).empty());

    wanted["schedule"]["cron"] = "0 3 * * *";
    auto const found = differences_from_file(task, wanted);
    REQUIRE(found.size() == 1);
    CHECK(found[0].member == "schedule.cron");
    auto expected = task.at("schedule");
    expected["cron"] = "0 3 * * *";
    CHECK(updated_task(task, found, wanted).at("schedule") == expected);
}

TEST_CASE("an update to another kind of schedule drops the members of the kind before")
{
    auto task = registered;
    task["schedule"]["end_at"] = "2027-01-06T18:00:00.000000Z";
    auto wanted = definition();
    wanted["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 5'000}};
    CHECK(updated_task(task, differences_from_file(task, wanted), wanted).at("schedule") == wanted.at("schedule"));
}

TEST_CASE("another spelling of the same value is no difference")
{
    auto task = registered;
    task["schedule"] = {{"kind", "once"}, {"at", "2026-12-24T18:00:00.000000Z"}};
    auto wanted = definition();
    wanted["schedule"] = {{"kind", "once"}, {"at", "2026-12-24T19:00:00+01:00"}};
    CHECK(differences_from_file(task, wanted).empty());
}

TEST_CASE("an update takes the members that differ from the file and keeps the others")
{
    auto wanted = definition();
    wanted["payload"] = {{"b", 2}};
    auto const updated = updated_task(registered, differences_from_file(registered, wanted), wanted);
    CHECK(updated.at("payload") == nlohmann::json{{"b", 2}});
    CHECK(updated.at("max_attempts") == 3);
    CHECK(updated.at("enabled") == true);
    CHECK(updated.at("version") == 3);
}

TEST_CASE("a long value is cut in the text of a difference")
{
    auto wanted = definition();
    wanted["payload"] = std::string(10'000, 'x');
    CHECK(import_text(differences_from_file(registered, wanted).at(0)).size() < 300);
}

TEST_CASE("a wrong definition is refused with its field")
{
    auto wanted = definition();
    wanted["max_attempts"] = 0;
    CHECK_THROWS_AS(differences_from_file(registered, wanted), invalid_input);
}

TEST_CASE("a task without a line is an enabled one of the same file and machine whose name the file lacks")
{
    auto task = registered;
    task["enabled"] = true;
    std::string const origin = "imported from /etc/crontab on web1";
    std::string const file = "/etc/crontab";
    CHECK(without_line({task}, origin, file, {"tab-2"}) == std::vector{task});
    CHECK(without_line({task}, origin, file, {"tab-1"}).empty());
    CHECK(without_line({task}, "imported from /etc/crontab on web2", file, {}).empty());
    task["enabled"] = false;
    CHECK(without_line({task}, origin, file, {}).empty());
}

TEST_CASE("a task that an earlier version imported from the same file is without a line")
{
    auto task = registered;
    task["enabled"] = true;
    task["description"] = "line 12 of /etc/crontab";
    auto const found = [&](std::string const& file) {
        return !without_line({task}, "imported from " + file + " on web1", file, {"crontab-00000001"}).empty();
    };
    CHECK(found("/etc/crontab"));
    CHECK(found("/etc/../etc/crontab"));
    CHECK_FALSE(found("/etc/crontab2"));
    CHECK_FALSE(found("crontab"));
    for (auto const* other : {"line of /etc/crontab", "line 12 of /etc/crontab, by hand", "line 12 of ", "line 12"}) {
        task["description"] = other;
        CHECK_FALSE(found("/etc/crontab"));
    }
}

} // namespace import_plan_test
