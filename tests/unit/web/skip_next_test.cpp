#include "tests/unit/web/harness.hpp"

namespace web_skip_next_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

// Fires every hour.
std::string create_hourly(site_on_store& web)
{
    auto task = sample("hourly");
    task["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 3'600'000}, {"start_at", "2026-01-01T00:00:00Z"}};
    return "/api/v1/tasks/" + web.create(task);
}

std::string later(std::string const& firing, duration by)
{
    return to_rfc3339(from_rfc3339(firing) + by);
}

} // namespace

TEST_CASE("skip-next names the firing that it skips, and the task shows it until it is taken back")
{
    auto const web = arrange(engines());
    auto const path = create_hourly(*web);
    auto const before = web->got(200, path);
    std::string const first = before.at("next_at");
    CHECK(before.at("skips").empty());
    auto const done = web->posted(200, path + "/skip-next", {{"by", "ann"}, {"reason", "by hand"}});
    CHECK(done.at("skipped") == json{first});
    CHECK(done.at("next_at") == later(first, 1h));
    CHECK(done.at("version") == 2);
    auto const shown = web->got(200, path);
    REQUIRE(shown.at("skips").size() == 1);
    CHECK(shown.at("skips")[0].at("firing") == first);
    CHECK(shown.at("skips")[0].at("by") == "ann");
    CHECK(shown.at("skips")[0].at("reason") == "by hand");
    CHECK(shown.at("next_at") == later(first, 1h));
    CHECK(web->got(200, path + "/next?count=1").at("next")[0].at("at") == later(first, 1h));
    CHECK(web->got(200, path + "/versions").at("items")[0].at("action") == "skip_next");

    auto const undone = web->call(verb::del, path + "/skip-next");
    REQUIRE(undone.status == 200);
    CHECK(json::parse(undone.body).at("restored") == json{first});
    CHECK(json::parse(undone.body).at("next_at") == first);
    CHECK(web->got(200, path).at("skips").empty());
    web->problem(409, web->call(verb::del, path + "/skip-next"));
}

TEST_CASE("skip-next with the expected firing is refused unless that is next, and can be repeated")
{
    auto const web = arrange(engines());
    auto const path = create_hourly(*web);
    std::string const first = web->got(200, path).at("next_at");
    auto const wrong = web->posted(409, path + "/skip-next", {{"expected", later(first, 1h)}});
    CHECK(wrong.at("detail").get<std::string>().find(first) != std::string::npos);
    CHECK(web->posted(200, path + "/skip-next", {{"expected", first}}).at("version") == 2);
    auto const again = web->posted(200, path + "/skip-next", {{"expected", first}});
    CHECK(again.at("version") == 2);
    CHECK(again.at("skipped") == json{first});
    CHECK(web->posted(200, path + "/skip-next", {{"expected", first}, {"count", 3}}).at("skips").size() == 3);
    auto const one = web->call(verb::del, path + "/skip-next?expected=" + later(first, 1h));
    CHECK(json::parse(one.body).at("restored") == json{later(first, 1h)});
    CHECK(json::parse(one.body).at("skips").size() == 2);
}

TEST_CASE("a skip outlives another edit of the task, and a replacement by what was read")
{
    auto const web = arrange(engines());
    auto const path = create_hourly(*web);
    auto const skipped = web->posted(200, path + "/skip-next", {{"count", 2}});
    auto document = web->got(200, path);
    document["description"] = "new";
    auto const replaced = web->call(verb::put, path, document.dump());
    REQUIRE(replaced.status == 200);
    CHECK(json::parse(replaced.body).at("skips").size() == 2);
    auto const patched = web->call(verb::patch, path, R"({"max_attempts": 2})");
    REQUIRE(patched.status == 200);
    CHECK(json::parse(patched.body).at("skips").size() == 2);
    auto const by_hand = web->call(verb::patch, path, json{{"schedule", {{"kind", "api"}}}}.dump());
    REQUIRE(by_hand.status == 200);
    CHECK(web->got(200, path).at("skips").empty());
}

TEST_CASE("skip-next refuses wrong requests, naming the field, and definitions with skips")
{
    auto const web = arrange(engines());
    auto const path = create_hourly(*web);
    CHECK(web->posted(422, path + "/skip-next", {{"count", 0}}).at("field") == "count");
    CHECK(web->posted(422, path + "/skip-next", {{"count", 101}}).at("field") == "count");
    CHECK(web->posted(422, path + "/skip-next", {{"expected", "tomorrow"}}).at("field") == "expected");
    CHECK(web->posted(422, path + "/skip-next", {{"who", "ann"}}).at("field") == "who");
    web->problem(412, web->post(path + "/skip-next", json::object(), {{"If-Match", "\"7\""}}));
    web->problem(404, web->post("/api/v1/tasks/12/skip-next", json::object()));
    auto task = sample("with skips");
    task["schedule"]["skips"] =
        json::array({{{"firing", "2027-01-01T00:00:00Z"}, {"asked_at", "2027-01-01T00:00:00Z"}}});
    CHECK(web->posted(422, "/api/v1/tasks", task).at("field") == "schedule.skips");
    web->posted(200, path + "/disable");
    CHECK(web->posted(409, path + "/skip-next").at("detail").get<std::string>().find("disabled") != std::string::npos);
}

} // namespace web_skip_next_test
