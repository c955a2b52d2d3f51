#include "tests/unit/web/harness.hpp"

#include <set>

namespace tasks_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

} // namespace

TEST_CASE("a registration is answered with the id, the version as ETag, and the instant from which the task is valid")
{
    auto const web = arrange(engines());
    auto const answer = web->post("/api/v1/tasks", sample("close the day"));
    REQUIRE(answer.status == 201);
    auto const task = json::parse(answer.body);
    CHECK(answer.headers.find("ETag") == "\"1\"");
    CHECK(answer.headers.find("Location") == "/api/v1/tasks/" + task.at("id").get<std::string>());
    CHECK(task.at("project") == "default");
    CHECK(task.at("schedule_text") == "at 02:30 every day in Europe/Berlin");
    auto steady = sample("steady");
    steady["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 5'000}};
    CHECK(web->posted(201, "/api/v1/tasks", steady).at("schedule_text") == "every 5 seconds");
    auto office = sample("office hours");
    office["schedule"] = json::parse(R"({"kind": "window", "every_ms": 900000, "from": "09:00", "to": "17:30"})");
    auto const registered = web->posted(201, "/api/v1/tasks", office);
    CHECK(registered.at("schedule_text") == "every 15 minutes from 09:00 to 17:30 every day in UTC");
    CHECK_FALSE(registered.at("next_fire_at").is_null());
    CHECK(web->got(200, "/api/v1/tasks?kind=window").at("items").size() == 1);
    auto soon = sample("soon");
    soon["schedule"] = {{"kind", "once"}, {"in_ms", 7'200'000}};
    auto const answered = web->posted(201, "/api/v1/tasks", soon);
    auto const at = from_rfc3339(answered.at("schedule").at("at"));
    CHECK(at - from_rfc3339(answered.at("created_at")) > 7'190s);
    CHECK(at - from_rfc3339(answered.at("created_at")) < 7'210s);
    CHECK(answered.at("next_fire_at") == answered.at("schedule").at("at"));
    CHECK_FALSE(answered.at("schedule").contains("in_ms"));
    CHECK_FALSE(task.at("next_fire_at").is_null());
    CHECK(from_rfc3339(task.at("valid_from")) > from_rfc3339(task.at("created_at")) - 1s);

    auto const read = web->got(200, *answer.headers.find("Location"));
    CHECK(read.at("payload") == json{{"day", "2026-11-21"}});
    CHECK(read.at("next_fire_at") == task.at("next_fire_at"));
    CHECK(read.at("parked_at").is_null());
}

TEST_CASE("a parked task shows since when and why its firings are not planned, until it is edited")
{
    auto const web = arrange(engines());
    auto const id = web->create(sample("waits"));
    web->data.exec("UPDATE task SET parked_for = 'default/s', parked_at = 1800000000000000, parked_reason = 'no room'");
    auto const parked = web->got(200, "/api/v1/tasks/" + id);
    CHECK(parked.at("parked_at") == "2027-01-15T08:00:00.000000Z");
    CHECK(parked.at("parked_reason") == "no room");
    auto const off = web->posted(200, "/api/v1/tasks/" + id + "/disable");
    CHECK(off.at("parked_at").is_null());
    CHECK(off.at("parked_reason").is_null());
}

TEST_CASE("the deleted tasks of a name are listed, the latest deletion first")
{
    auto const web = arrange(engines());
    auto const names = [&](std::string const& query) {
        std::vector<std::string> ids;
        auto const found = web->got(200, "/api/v1/deleted-tasks" + query);
        for (auto const& each : found.at("items"))
            ids.push_back(each.at("id"));
        return ids;
    };
    auto const remove = [&](std::string const& name) {
        auto const id = web->create(sample(name));
        web->call(verb::del, "/api/v1/tasks/" + id);
        return id;
    };
    auto const first = remove("gone");
    remove("gone too");
    auto const second = remove("gone");
    web->create(sample("gone"));
    CHECK(names("?name=gone&project=default") == std::vector{second, first});
    CHECK(names("?name=gone&limit=1") == std::vector{second});
    CHECK(names("?name=gone&project=other").empty());
    CHECK(names("?name=gon").empty());
    web->problem(400, web->call(verb::get, "/api/v1/deleted-tasks"));
    auto const shown = web->got(200, "/api/v1/deleted-tasks?name=gone%20too").at("items").at(0);
    CHECK(shown.at("name") == "gone too");
    CHECK(shown.at("version") == 2);
    web->problem(400, web->call(verb::get, "/api/v1/deleted-tasks?nam=x"));
}

TEST_CASE("the versions of a task are listed with their definitions, the newest first, also when it is deleted")
{
    auto const web = arrange(engines());
    auto const id = web->create(sample("changes"));
    auto const path = "/api/v1/tasks/" + id;
    web->posted(200, path + "/disable");
    web->call(verb::patch, path, R"({"max_attempts": 7})");
    auto const all = web->got(200, path + "/versions").at("items");
    REQUIRE(all.size() == 3);
    CHECK(all[0].at("version") == 3);
    CHECK(all[0].at("action") == "edited");
    CHECK(all[0].at("definition").at("max_attempts") == 7);
    CHECK(all[0].at("definition").at("enabled") == false);
    CHECK(all[1].at("action") == "disabled");
    CHECK(all[2].at("action") == "created");
    CHECK(all[2].at("definition").at("enabled") == true);

    auto const first = web->got(200, path + "/versions?limit=2");
    CHECK(first.at("items").size() == 2);
    auto const second = web->got(200, path + "/versions?limit=2&after=" + first.at("next").get<std::string>());
    CHECK(second.at("items") == json::array({all[2]}));
    CHECK(second.at("next").is_null());

    web->call(verb::del, path);
    CHECK(web->got(200, path + "/versions?limit=1").at("items")[0].at("action") == "deleted");
    web->problem(404, web->call(verb::get, "/api/v1/tasks/4711/versions"));
    web->problem(400, web->call(verb::get, path + "/versions?after=x"));
}

TEST_CASE("a task name that is taken in the project is refused and nothing is written")
{
    auto const web = arrange(engines());
    web->create(sample("twice"));
    auto const no = web->problem(409, web->post("/api/v1/tasks", sample("twice")));
    CHECK(no.at("field") == "name");
    CHECK(no.at("detail") == "there is a task 'twice' in project 'default' already");
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 1);
    CHECK(web->data.number("SELECT COUNT(*) FROM task_version") == 1);

    auto elsewhere = sample("twice");
    elsewhere["project"] = "other";
    web->join_client("billing", {"close-day"}, "other");
    web->create(elsewhere);

    auto const other = "/api/v1/tasks/" + web->create(sample("once"));
    auto const rename = web->problem(409, web->call(verb::patch, other, R"({"name":"twice"})"));
    CHECK(rename.at("detail") == "name: the project has another task named 'twice'");
}

TEST_CASE("text that looks like SQL or markup is stored and returned literally")
{
    auto const web = arrange(engines());
    std::string const name = R"('); DROP TABLE task; -- <b>"%s" {0} ü 漢 🎼)";
    auto task = sample(name);
    task["description"] = "' OR 1=1; :name ? $1 \" `";
    auto const id = web->create(task);
    auto const read = web->got(200, "/api/v1/tasks/" + id);
    CHECK(read.at("name") == name);
    CHECK(read.at("description") == task["description"]);
    auto const found = web->got(200, "/api/v1/tasks?name=" + http::percent_encode("DROP TABLE task; -- <b>\"%s\""));
    REQUIRE(found.at("items").size() == 1);
    CHECK(found.at("items")[0].at("name") == name);
    CHECK(web->got(200, "/api/v1/tasks?name=DROP%25task").at("items").empty());
}

TEST_CASE("paging through two hundred tasks shows each once, in the order of registration")
{
    auto const web = arrange(engines());
    for (int i = 0; i < 200; ++i)
        web->create(sample("task " + std::to_string(i)));
    std::vector<std::string> names;
    std::string after;
    for (int pages = 1;; ++pages) {
        auto const page = web->got(200, "/api/v1/tasks?limit=30" + after);
        for (auto const& task : page.at("items"))
            names.push_back(task.at("name"));
        if (page.at("next").is_null()) {
            CHECK(pages == 7);
            break;
        }
        CHECK(page.at("items").size() == 30);
        after = "&after=" + page.at("next").get<std::string>();
    }
    REQUIRE(names.size() == 200);
    CHECK(names.front() == "task 0");
    CHECK(names.back() == "task 199");
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == 200);
    CHECK(web->got(200, "/api/v1/tasks?limit=200").at("next").is_null());
}

TEST_CASE("a list shows only the tasks that match its filters")
{
    auto const web = arrange(engines());
    web->create(sample("one"));
    auto other = sample("two");
    other["project"] = "p2";
    web->join_client("billing", {"remind"}, "p2");
    other["handler"] = "remind";
    other["enabled"] = false;
    other["schedule"] = {{"kind", "api"}};
    web->create(other);
    auto const names = [&](std::string const& filter) {
        std::vector<std::string> found;
        auto const page = web->got(200, "/api/v1/tasks?" + filter);
        for (auto const& task : page.at("items"))
            found.push_back(task.at("name"));
        return found;
    };
    using list = std::vector<std::string>;
    CHECK(names("") == list{"one", "two"});
    CHECK(names("project=p2") == list{"two"});
    CHECK(names("service=billing&handler=close-day") == list{"one"});
    CHECK(names("enabled=false") == list{"two"});
    CHECK(names("text=ONE") == list{"one"});
    CHECK(names("text=remind") == list{"two"});
    CHECK(names("state=disabled") == list{"two"});
    CHECK(names("state=enabled&service=billing") == list{"one"});
    CHECK(names("kind=api") == list{"two"});
    CHECK(names("kind=cron&enabled=true&name=on") == list{"one"});
    CHECK(names("service=nobody").empty());
}

TEST_CASE("the next firings are shown in UTC and on the task's own clock, with changes of that clock")
{
    auto const web = arrange(engines());
    auto task = sample("forecast");
    task["schedule"]["start_at"] = "2030-10-25T12:00:00Z";
    auto const path = "/api/v1/tasks/" + web->create(task) + "/next";
    auto const next = web->got(200, path + "?count=3").at("next");
    REQUIRE(next.size() == 3);
    CHECK(next[0].at("at") == "2030-10-26T00:30:00.000000Z");
    CHECK(next[0].at("local") == "2030-10-26T02:30:00+02:00");
    CHECK(next[1].at("local") == "2030-10-27T02:30:00+02:00");
    CHECK(next[1].at("clock_changed") == false);
    CHECK(next[2].at("local") == "2030-10-28T02:30:00+01:00");
    CHECK(next[2].at("clock_changed") == true);
    CHECK(next[2].at("planned") == false);
    CHECK(web->got(200, path).at("next").size() == 10);
    CHECK(web->got(200, path + "?count=1000").at("next").size() == 1'000);
    web->problem(400, web->get(path + "?count=0"));
    web->problem(400, web->get(path + "?count=1001"));
}

TEST_CASE("the next firing of a task is the earliest that has not begun, also if it is planned already")
{
    auto const web = arrange(engines());
    auto task = sample("ahead");
    task["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 3'600'000}, {"start_at", "2030-01-01T00:00:00Z"}};
    auto const id = web->create(task);
    web->data.exec("UPDATE task SET next_fire_at = " +
                   std::to_string(to_micros(from_rfc3339("2030-01-01T02:00:00Z")))); // the first two are planned
    auto const read = web->got(200, "/api/v1/tasks/" + id);
    CHECK(read.at("next_at") == "2030-01-01T00:00:00.000000Z");
    CHECK(read.at("next_fire_at") == "2030-01-01T02:00:00.000000Z");
    CHECK(web->got(200, "/api/v1/tasks").at("items")[0].at("next_at") == read.at("next_at"));
    CHECK(web->got(200, "/api/v1/tasks/" + id + "/next").at("next")[0].at("at") == read.at("next_at"));
}

TEST_CASE("a fixed-delay task lists only its stored next firing")
{
    auto const web = arrange(engines());
    auto task = sample("delayed");
    task["schedule"] = {{"kind", "fixed_delay"}, {"every_ms", 5'000}, {"start_at", "2030-01-01T00:00:00+01:00"}};
    auto const path = "/api/v1/tasks/" + web->create(task) + "/next";
    auto const next = web->got(200, path).at("next");
    REQUIRE(next.size() == 1);
    CHECK(next[0].at("at") == "2029-12-31T23:00:00.000000Z");
}

TEST_CASE("a save answers with what happens at the clock changes that the schedule meets")
{
    auto const web = arrange(engines());
    auto task = sample("noted");
    auto const made = web->posted(201, "/api/v1/tasks", task); // 02:30 in Europe/Berlin
    REQUIRE(made.at("notes").size() >= 2);
    for (auto const& note : made.at("notes"))
        CHECK((note.at("kind") == "gap" || note.at("kind") == "overlap"));
    auto const path = "/api/v1/tasks/" + made.at("id").get<std::string>();
    CHECK_FALSE(web->got(200, path).contains("notes"));
    auto const same = json::parse(web->call(verb::patch, path, R"({"enabled":true})").body);
    CHECK(same.at("notes") == made.at("notes"));
    auto const edited = json::parse(web->call(verb::patch, path, R"({"schedule":{"cron":"30 5 * * *"}})").body);
    CHECK(edited.at("notes").empty());
    CHECK(web->call(verb::put, path, edited.dump()).status == 200); // an answer can be sent back
}

TEST_CASE("a save answers with a note for each policy that leaves next to nothing to run")
{
    auto const web = arrange(engines());
    auto task = sample("hasty");
    task["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 60'000}};
    task["misfire"] = {{"action", "skip"}, {"after_ms", 0}};
    auto const made = web->posted(201, "/api/v1/tasks", task);
    REQUIRE(made.at("notes").size() == 1);
    CHECK(made.at("notes")[0].at("kind") == "policy");
    CHECK(made.at("notes")[0].at("field") == "misfire.after_ms");
    auto const path = "/api/v1/tasks/" + made.at("id").get<std::string>();
    auto const edited = json::parse(web->call(verb::patch, path, R"({"misfire":{"action":"fire_once"}})").body);
    CHECK(edited.at("notes").empty());
    auto const limited = json::parse(web->call(verb::patch, path, R"({"limits":{"start_within_ms":1}})").body);
    REQUIRE(limited.at("notes").size() == 1);
    CHECK(limited.at("notes")[0].at("field") == "limits.start_within_ms");
}

} // namespace tasks_test
