#include "tests/unit/web/harness.hpp"

namespace calendars_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

constexpr char resource[] = "/api/v1/calendars";

json weekend(std::string name)
{
    return {{"name", std::move(name)}, {"weekly", {{{"days", {"sat", "sun"}}}}}};
}

std::string make(site_on_store& web, json const& calendar)
{
    return web.posted(201, resource, calendar).at("id").get<std::string>();
}

json daily(std::string name, json calendars)
{
    auto task = sample(std::move(name));
    task["schedule"] = {{"kind", "cron"}, {"cron", "0 12 * * *"}, {"calendars", std::move(calendars)}};
    return task;
}

http::response put(site_on_store& web, std::string const& id, json const& body, headers with = {})
{
    with["Content-Type"] = "application/json";
    return web.call(verb::put, resource + ("/" + id), body.dump(), with);
}

// The days of the week of the next firings, Sunday is 0.
std::string days_of(json const& answer)
{
    std::string days;
    for (auto const& firing : answer.at("next")) {
        auto const at = from_rfc3339(firing.at("at").get<std::string>());
        days += std::to_string(std::chrono::weekday{std::chrono::floor<std::chrono::days>(at)}.c_encoding());
    }
    return days;
}

} // namespace

TEST_CASE("a calendar is made, read, listed, replaced under its version, and deleted")
{
    auto const web = arrange(engines());
    auto const id = make(*web, weekend("weekend"));
    CHECK(web->problem(409, web->post(resource, weekend("weekend"))).at("field") == "name");
    auto const read = web->got(200, resource + ("/" + id));
    CHECK(read.at("version") == 1);
    CHECK(read.at("used_by").empty());
    CHECK(web->got(200, std::string(resource) + "?project=default&name=weekend").at("items").size() == 1);
    CHECK(web->got(200, std::string(resource) + "?project=other").at("items").empty());

    auto changed = read;
    changed["dates"] = {"2030-01-01", "2030-01-02/2030-01-05"};
    CHECK(put(*web, id, changed, {{"If-Match", "\"7\""}}).status == 412);
    auto const answer = put(*web, id, changed, {{"If-Match", "\"1\""}});
    REQUIRE(answer.status == 200);
    auto const replaced = json::parse(answer.body);
    CHECK(replaced.at("version") == 2);
    CHECK(replaced.at("dates") == json{"2030-01-01/2030-01-05"});
    CHECK(json::parse(put(*web, id, changed).body).at("version") == 2); // nothing changes
    CHECK(web->got(200, resource + ("/" + id + "/versions")).at("items").size() == 2);

    changed["name"] = "other";
    CHECK(put(*web, id, changed).status == 422);
    CHECK(web->call(verb::del, resource + ("/" + id)).status == 200);
    CHECK(web->get(resource + ("/" + id)).status == 404);
}

TEST_CASE("a task fires outside the calendars that it excludes and inside those that it allows")
{
    auto const web = arrange(engines());
    make(*web, weekend("weekend"));
    make(*web, {{"name", "mondays"}, {"weekly", {{{"days", {"mon"}}}}}});
    auto const excluding = web->create(daily("a", {{{"name", "weekend"}}}));
    CHECK(days_of(web->got(200, "/api/v1/tasks/" + excluding + "/next?count=20")).find_first_of("06") ==
          std::string::npos);
    auto const allowing = web->create(daily("b", {{{"name", "mondays"}, {"mode", "allow"}}}));
    CHECK(days_of(web->got(200, "/api/v1/tasks/" + allowing + "/next?count=3")) == "111");
    auto const read = web->got(200, "/api/v1/tasks/" + allowing);
    CHECK(read.at("schedule").at("calendars") == json{{{"name", "mondays"}, {"mode", "allow"}}});
    CHECK(read.at("schedule_text").get<std::string>().find("only in 'mondays'") != std::string::npos);
}

TEST_CASE("a change of a calendar edits the tasks that use it, and one that is used cannot be deleted")
{
    auto const web = arrange(engines());
    auto const id = make(*web, weekend("closed"));
    auto const task = web->create(daily("a", {{{"name", "closed"}}}));
    CHECK(web->problem(409, web->call(verb::del, resource + ("/" + id))).at("detail").get<std::string>().find("a") !=
          std::string::npos);

    auto const answer =
        json::parse(put(*web, id, {{"name", "closed"}, {"weekly", {{{"days", {"mon", "tue", "wed"}}}}}}).body);
    CHECK(answer.at("edited") == 1);
    CHECK(answer.at("left_behind").empty());
    auto const after = web->got(200, "/api/v1/tasks/" + task);
    CHECK(after.at("version") == 2);
    auto const versions = web->got(200, "/api/v1/tasks/" + task + "/versions");
    CHECK(versions.at("items").at(0).at("valid_from") == answer.at("valid_from"));
    CHECK(days_of(web->got(200, "/api/v1/tasks/" + task + "/next?count=20")).find_first_of("123") == std::string::npos);
    CHECK(web->got(200, resource + ("/" + id)).at("used_by").at(0).at("calendar_version") == 2);

    // A save that changes nothing makes no version; one without the calendar frees it.
    auto same = after;
    CHECK(json::parse(
              web->call(verb::put, "/api/v1/tasks/" + task, same.dump(), {{"Content-Type", "application/json"}}).body)
              .at("version") == 2);
    same["schedule"].erase("calendars");
    REQUIRE(web->call(verb::put, "/api/v1/tasks/" + task, same.dump(), {{"Content-Type", "application/json"}}).status ==
            200);
    CHECK(web->call(verb::del, resource + ("/" + id)).status == 200);
}

TEST_CASE("all tasks that use a calendar follow its change from one instant on")
{
    auto const web = arrange(engines());
    auto const id = make(*web, weekend("closed"));
    std::vector<std::string> tasks;
    for (auto const* name : {"a", "b", "c"})
        tasks.push_back(web->create(daily(name, {{{"name", "closed"}}})));
    auto const answer = json::parse(put(*web, id, {{"name", "closed"}, {"weekly", {{{"days", {"mon"}}}}}}).body);
    CHECK(answer.at("edited") == 3);
    for (auto const& task : tasks) {
        auto const versions = web->got(200, "/api/v1/tasks/" + task + "/versions");
        CHECK(versions.at("items").at(0).at("valid_from") == answer.at("valid_from"));
    }
}

TEST_CASE("calendars with which a task can never fire are refused, when the task is saved and when they change")
{
    auto const web = arrange(engines());
    auto const id = make(*web, {{"name", "nights"}, {"weekly", {{{"from", "20:00"}, {"until", "06:00"}}}}});
    auto const never =
        web->problem(422, web->post("/api/v1/tasks", daily("a", {{{"name", "nights"}, {"mode", "allow"}}})));
    CHECK(never.at("field") == "schedule.calendars");
    web->create(daily("b", {{{"name", "nights"}}}));
    CHECK(put(*web, id, {{"name", "nights"}, {"weekly", {json::object()}}}).status == 422);
    CHECK(web->got(200, resource + ("/" + id)).at("version") == 1);
    auto const unknown = web->problem(422, web->post("/api/v1/tasks", daily("c", {{{"name", "none"}}})));
    CHECK(unknown.at("field") == "schedule.calendars");
    auto const name_alone = web->problem(422, web->post("/api/v1/tasks", daily("d", {"nights"})));
    CHECK(name_alone.at("detail").get<std::string>().find(R"({"name": "holidays")") != std::string::npos);
}

TEST_CASE("the days of an iCalendar file are added to a calendar")
{
    auto const web = arrange(engines());
    std::string const file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:New Year\r\n"
                             "DTSTART;VALUE=DATE:20300101\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    auto const made = web->posted(201, resource, {{"name", "h"}, {"dates", {"2030-05-01"}}, {"icalendar", file}});
    CHECK(made.at("dates") == json{"2030-01-01", "2030-05-01"});
    CHECK(web->problem(422, web->post(resource, {{"name", "i"}, {"icalendar", "no"}})).at("field") == "icalendar");
    CHECK(web->problem(422, web->post(resource, {{"name", "i"}, {"zone", "Mars"}})).at("field") == "zone");
    CHECK(web->problem(422, web->post(resource, {{"name", "i"}, {"dates", {"2030-02-30"}}})).at("field") == "dates");
}

TEST_CASE("other requests are answered while a long iCalendar file is read")
{
    auto const web = arrange(storage::engine::sqlite);
    std::string file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n";
    for (int i = 0; i < 20; ++i) // 30 February never comes, and all of them together are refused
        file += "BEGIN:VEVENT\r\nUID:" + std::to_string(i) +
                "\r\nDTSTART;VALUE=DATE:20300101\r\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30\r\nEND:VEVENT\r\n";
    file += "END:VCALENDAR\r\n";
    std::vector<std::pair<std::string, int>> answered;
    asio::io_context loop;
    auto const ask = [&](std::string name, std::string target, json const& body) {
        auto const call = [&web, &answered, name, target, text = body.dump()]() -> awaitable<void> {
            http::request asked;
            asked.method = verb::post;
            asked.target = target;
            asked.body = text;
            auto const answer = co_await web->routes(asked);
            answered.emplace_back(name, answer.status);
        };
        asio::co_spawn(loop, call, asio::detached);
    };
    ask("file", resource, {{"name", "never"}, {"icalendar", file}});
    ask("other", "/api/v1/cron/explain", {{"cron", "0 2 * * *"}});
    loop.run();
    REQUIRE(answered.size() == 2);
    CHECK(answered[0] == std::pair{std::string("other"), 200});
    CHECK(answered[1] == std::pair{std::string("file"), 422});
}

TEST_CASE("a task runs after another one of its project, without cycles")
{
    auto const web = arrange(engines());
    auto const after = [&](std::string name, std::string parent) {
        auto task = sample(std::move(name));
        task["schedule"] = {{"kind", "after"}, {"task", std::move(parent)}};
        return task;
    };
    auto const change = [&](std::string const& id, json const& body) {
        return web->call(verb::patch, "/api/v1/tasks/" + id, body.dump(), {{"Content-Type", "application/json"}});
    };
    auto const extract = web->create(sample("extract"));
    auto const load = web->create(after("load", "extract"));
    auto const report = web->create(after("report", "load"));
    CHECK(web->got(200, "/api/v1/tasks/" + report).at("next_at").is_null());
    CHECK(web->problem(422, web->post("/api/v1/tasks", after("x", "none"))).at("field") == "schedule.task");
    CHECK(web->problem(422, web->post("/api/v1/tasks", after("self", "self"))).at("field") == "schedule.task");
    CHECK(web->problem(422, change(extract, {{"schedule", {{"kind", "after"}, {"task", "report"}}}})).at("field") ==
          "schedule.task");

    // A parent that is renamed stays the parent.
    CHECK(change(extract, {{"name", "fetch"}}).status == 200);
    CHECK(change(load, {{"description", "changed"}}).status == 200);
    CHECK(web->data.number("SELECT parent_id FROM task_parent WHERE task_id = " + load) == std::stoll(extract));
    CHECK(change(report, {{"schedule", {{"kind", "api"}}}}).status == 200);
    CHECK(web->data.number("SELECT COUNT(*) FROM task_parent") == 1);

    // The parent is deleted: the task can be edited, and saved with a new one of the same name.
    CHECK(web->call(verb::del, "/api/v1/tasks/" + extract).status == 200);
    CHECK(change(load, {{"description", "an orphan"}}).status == 200);
    auto const anew = web->create(sample("extract"));
    CHECK(change(load, {{"schedule", {{"kind", "after"}, {"task", "extract"}}}}).status == 200);
    CHECK(web->data.number("SELECT parent_id FROM task_parent WHERE task_id = " + load) == std::stoll(anew));
}

} // namespace calendars_test
