#include "tests/unit/web/harness.hpp"

namespace web_schedules_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

constexpr char resource[] = "/api/v1/schedules/preview";

json preview(site_on_store& web, json const& body)
{
    return web.posted(200, resource, body);
}

std::string refused_field(site_on_store& web, json const& body)
{
    return web.problem(422, web.post(resource, body)).at("field").get<std::string>();
}

json window(json more = json::object())
{
    json schedule{
        {"kind", "window"}, {"every_ms", 900'000}, {"from", "09:00"}, {"to", "17:30"}, {"zone", "Europe/Berlin"}};
    schedule.update(more);
    return schedule;
}

// The instants of the next firings.
std::vector<std::string> times_of(json const& answer)
{
    std::vector<std::string> times;
    for (auto const& firing : answer.at("next"))
        times.push_back(firing.at("at"));
    return times;
}

} // namespace

TEST_CASE("a preview has the firings that the task has once it is saved")
{
    auto const web = arrange(engines());
    web->posted(201, "/api/v1/calendars", {{"name", "weekend"}, {"weekly", {{{"days", {"sat", "sun"}}}}}});
    auto const schedule =
        window({{"calendars", {{{"name", "weekend"}}}}, {"start_at", "2031-03-01T00:00:00Z"}, {"jitter_ms", 60'000}});
    auto const seen = preview(*web, {{"schedule", schedule}, {"name", "t"}, {"count", 100}});
    auto task = sample("t");
    task["schedule"] = schedule;
    auto const saved = web->posted(201, "/api/v1/tasks", task);
    auto const next = web->got(200, "/api/v1/tasks/" + saved.at("id").get<std::string>() + "/next?count=100");
    CHECK(times_of(seen) == times_of(next));
    CHECK(seen.at("description") == saved.at("schedule_text"));
    CHECK(seen.at("notes") == saved.at("notes"));
    CHECK(seen.at("jitter_seed") == saved.at("schedule").at("jitter_seed"));
    CHECK(seen.at("zone") == "Europe/Berlin");
    CHECK(seen.at("end") == "more");
    CHECK(seen.at("unplanned").is_null());
}

TEST_CASE("a preview names the calendars that leave times out")
{
    auto const web = arrange(engines());
    web->posted(201, "/api/v1/calendars", {{"name", "weekend"}, {"weekly", {{{"days", {"sat", "sun"}}}}}});
    auto const answer = preview(
        *web, {{"schedule", window({{"calendars", {{{"name", "weekend"}}}}, {"start_at", "2031-03-01T00:00:00Z"}})},
               {"count", 1}});
    // 1 March 2031 is a Saturday: 35 times on each of two days. The weekend of UTC ends an hour into Monday.
    auto const& firing = answer.at("next").at(0);
    CHECK(firing.at("local") == "2031-03-03T09:00:00+01:00");
    CHECK(firing.at("due_at") == firing.at("at"));
    CHECK(firing.at("left_out") ==
          json{{"count", 70}, {"more", false}, {"first", "2031-03-01T09:00:00+01:00"}, {"calendars", {"weekend"}}});
}

TEST_CASE("a preview marks what clock changes do and has the notes of a save")
{
    auto const web = arrange(storage::engine::sqlite);
    json const schedule{{"kind", "cron"},
                        {"cron", "30 2 * * *"},
                        {"zone", "Europe/Berlin"},
                        {"overlap", "both"},
                        {"start_at", "2031-10-26T00:00:00Z"}};
    auto const next = preview(*web, {{"schedule", schedule}, {"count", 3}}).at("next");
    CHECK(next.at(0).at("clock") == "first_of_two");
    CHECK(next.at(1).at("clock") == "second_of_two");
    CHECK(next.at(1).at("clock_changed") == true);
    CHECK(next.at(2).at("clock").is_null());
    CHECK(preview(*web, {{"schedule", {{"kind", "cron"}, {"cron", "30 2 * * *"}, {"zone", "Europe/Berlin"}}}})
              .at("notes")
              .size() == 2);
}

TEST_CASE("schedules without planned times say why, and one that ends says so")
{
    auto const web = arrange(storage::engine::sqlite);
    for (auto const& [schedule, why] :
         std::vector<std::pair<json, std::string>>{{{{"kind", "fixed_delay"}, {"every_ms", 1'000}}, "fixed_delay"},
                                                   {{{"kind", "after"}, {"task", "extract"}}, "after"},
                                                   {{{"kind", "api"}}, "api"}}) {
        auto const answer = preview(*web, {{"schedule", schedule}});
        CHECK(answer.at("next").empty());
        CHECK(answer.at("unplanned").at("why") == why);
        CHECK(answer.at("unplanned").at("text").get<std::string>().starts_with("it has no planned times: "));
    }
    auto const once = preview(*web, {{"schedule", {{"kind", "once"}, {"in_ms", 3'600'000}}}});
    CHECK(once.at("next").size() == 1);
    CHECK(once.at("end") == "over");
    auto const twice =
        preview(*web, {{"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}, {"max_firings", 2}}}});
    CHECK(twice.at("next").size() == 2);
    CHECK(twice.at("end") == "max_firings");
}

TEST_CASE("a preview refuses what a save refuses, by the same field")
{
    auto const web = arrange(engines());
    web->posted(201, "/api/v1/calendars", {{"name", "always"}, {"weekly", json::array({json::object()})}});
    std::vector<json> const schedules{
        {{"kind", "cron"}, {"cron", "0 0 30 2 *"}},
        {{"kind", "cron"}, {"cron", "* * * * *"}, {"zone", "Mars/Base"}},
        {{"kind", "once"}, {"at", "2001-01-01T00:00:00Z"}},
        {{"kind", "fixed_rate"}, {"every_ms", 1}},
        {{"kind", "cron"}, {"cron", "* * * * *"}, {"tz", "UTC"}},
        {{"kind", "cron"}, {"cron", "0 9 * * *"}, {"calendars", {{{"name", "nowhere"}}}}},
        {{"kind", "cron"}, {"cron", "0 9 * * *"}, {"calendars", {{{"name", "always"}}}}},
        {{"kind", "fixed_rate"}, {"every_ms", 60'000}, {"end_at", "2001-01-01T00:00:00Z"}},
        {{"kind", "cron"}, {"cron", "* * * * *"}, {"calendars", {{{"name", "always"}, {"version", 1}}}}},
        json::array(),
    };
    for (auto const& schedule : schedules) {
        INFO(schedule.dump());
        auto task = sample("t");
        task["schedule"] = schedule;
        auto const saved = web->problem(422, web->post("/api/v1/tasks", task));
        auto const seen = web->problem(422, web->post(resource, {{"name", "t"}, {"schedule", schedule}}));
        CHECK(seen.at("field") == saved.at("field"));
        CHECK(seen.at("detail") == saved.at("detail"));
    }
    json const daily{{"kind", "cron"}, {"cron", "0 9 * * *"}};
    CHECK(refused_field(*web, json::object()) == "schedule");
    CHECK(refused_field(*web, {{"schedule", daily}, {"count", 101}}) == "count");
    CHECK(refused_field(*web, {{"schedule", daily}, {"handler", "h"}}) == "handler");
    CHECK(refused_field(*web, {{"schedule", daily}, {"name", "a/b"}}) == "name");
    CHECK(refused_field(*web, {{"schedule", daily}, {"task", "4711"}}) == "task");
    CHECK(refused_field(*web, {{"schedule", {{"kind", "cron"}, {"cron", "H 9 * * *"}}}}) == "schedule.hash_seed");
}

TEST_CASE("a preview for a task counts from its registration and keeps its seeds, firings and skips")
{
    auto const web = arrange(engines());
    auto task = sample("t");
    task["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 3'600'000}, {"jitter_ms", 1'000}};
    auto const id = web->create(task);
    auto const next = web->got(200, "/api/v1/tasks/" + id + "/next?count=3");
    json body{{"task", id}, {"schedule", task["schedule"]}, {"count", 3}};
    auto const seen = preview(*web, body);
    CHECK(times_of(seen) == times_of(next));
    CHECK(seen.at("jitter_seed") == web->got(200, "/api/v1/tasks/" + id).at("schedule").at("jitter_seed"));
    web->posted(200, "/api/v1/tasks/" + id + "/skip-next", json::object());
    CHECK(times_of(preview(*web, body)).front() == times_of(next).at(1));
}

TEST_CASE("a preview of an edit accepts a schedule whose calendars have run out if the edit leaves it as it is")
{
    auto const web = arrange(engines());
    web->posted(201, "/api/v1/calendars", {{"name", "open"}, {"dates", {"2099-01-01"}}});
    auto task = sample("t");
    task["schedule"] = {
        {"kind", "cron"}, {"cron", "0 9 * * *"}, {"calendars", {{{"name", "open"}, {"mode", "allow"}}}}};
    auto const id = web->create(task);
    for (auto const* const table : {"task", "named_calendar", "calendar_version"}) // as if that day had passed
        web->data.exec("UPDATE " + std::string(table) +
                       " SET definition = REPLACE(definition, '2099-01-01', '2001-01-01')");
    auto const seen = preview(*web, {{"task", id}, {"schedule", task["schedule"]}});
    CHECK(seen.at("next").empty());
    CHECK_THAT(seen.at("note").get<std::string>(), Catch::StartsWith("the schedule has no further firing"));
    CHECK(web->call(verb::patch, "/api/v1/tasks/" + id, json{{"description", "other"}}.dump()).status == 200);

    auto other = task["schedule"];
    other["cron"] = "0 10 * * *";
    CHECK(refused_field(*web, {{"task", id}, {"schedule", other}}) == "schedule.calendars");
    CHECK(web->call(verb::patch, "/api/v1/tasks/" + id, json{{"schedule", other}}.dump()).status == 422);
    CHECK(refused_field(*web, {{"schedule", task["schedule"]}}) == "schedule.calendars");
}

TEST_CASE("a schedule without a zone is previewed in the zone of its service")
{
    auto const web = arrange(engines());
    json const settings{{"defaults", {{"zone", "Asia/Tokyo"}}}};
    REQUIRE(web->call(verb::put, "/api/v1/services/default/billing/settings", settings.dump(),
                      {{"Content-Type", "application/json"}})
                .status < 300);
    json const schedule{{"kind", "cron"}, {"cron", "0 9 * * *"}};
    CHECK(preview(*web, {{"service", "billing"}, {"schedule", schedule}}).at("zone") == "Asia/Tokyo");
    CHECK(preview(*web, {{"schedule", schedule}}).at("zone") == "UTC");
}

} // namespace web_schedules_test
