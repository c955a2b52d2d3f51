#include "cli/crontab_tasks.hpp"
#include "libs/protocol/task.hpp"
#include "libs/schedule/time_zone.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

namespace crontab_tasks_test {

using namespace baton;
using namespace baton::cli;

TEST_CASE("the task of a crontab entry names a handler and does not contain the command")
{
    auto const parsed = schedule::parse_crontab("CRON_TZ=Europe/Berlin\n17 * * * * root run-secret --password=x\n",
                                                schedule::crontab_form::system, "/etc/crontab");
    REQUIRE(parsed.entries.size() == 1);
    auto const document = task_of(parsed.entries[0], origin_of("/etc/crontab"), {.zone = "America/New_York"});
    auto const task = protocol::parse_task(document);
    CHECK(task.name == parsed.entries[0].name);
    CHECK(task.handler == task.name);
    CHECK(task.service == "crontab");
    CHECK(task.project == "default");
    CHECK(task.description.find("imported from /etc/crontab on ") == 0);
    CHECK(task.schedule.cron == "17 * * * *");
    CHECK(task.schedule.zone == "Europe/Berlin");
    CHECK_FALSE(document.contains("enabled"));
    CHECK(task.enabled);
    for (auto const* word : {"run", "secret", "password", "root"})
        CHECK(document.dump().find(word) == std::string::npos);
}

TEST_CASE("an entry without CRON_TZ gets the zone, project, service and state of the import")
{
    auto const parsed = schedule::parse_crontab("@daily true\n", schedule::crontab_form::user, "mine");
    auto const document = task_of(parsed.entries.at(0), "mine",
                                  {.project = "ops", .service = "host-7", .zone = "America/New_York", .enable = true});
    auto const task = protocol::parse_task(document);
    CHECK(task.schedule.cron == "@daily");
    CHECK(task.schedule.zone == "America/New_York");
    CHECK(task.project == "ops");
    CHECK(task.service == "host-7");
    CHECK(task.handler == parsed.entries[0].name);
    CHECK(task.name == "host-7-" + task.handler);
    CHECK(document.at("enabled") == true); // so that an update enables it
}

TEST_CASE("the host's time zone exists, and TZ has precedence")
{
    setenv("TZ", ":Asia/Tokyo", 1);
    CHECK(host_zone() == "Asia/Tokyo");
    setenv("TZ", "no/such/zone", 1);
    CHECK(schedule::zone_exists(host_zone()));
    unsetenv("TZ");
    CHECK(schedule::zone_exists(host_zone()));
}

} // namespace crontab_tasks_test
