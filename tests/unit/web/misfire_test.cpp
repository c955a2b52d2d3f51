#include "tests/unit/web/harness.hpp"

namespace misfire_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

} // namespace

TEST_CASE("the ranges of skipped firings of a task are listed in pages, the latest first")
{
    auto const web = arrange(engines());
    auto const id = web->create(sample("late"));
    for (int const hour : {1, 2, 3}) {
        auto const first = std::to_string(hour * 3'600'000'000LL);
        auto const last = std::to_string(hour * 3'600'000'000LL + 60'000'000);
        web->data.exec("INSERT INTO skipped_range (task_id, namespace, first_at, last_at, firings, task_version, "
                       "reason, created_at) VALUES (" +
                       id + ", 1, " + first + ", " + last + ", 61, 1, 'over 60000 ms late', 1)");
    }
    auto const path = "/api/v1/tasks/" + id + "/skipped";
    auto const page = web->got(200, path + "?limit=2");
    REQUIRE(page.at("items").size() == 2);
    CHECK(page.at("items")[0].at("first_at") == "1970-01-01T03:00:00.000000Z");
    CHECK(page.at("items")[0].at("last_at") == "1970-01-01T03:01:00.000000Z");
    CHECK(page.at("items")[0].at("firings") == 61);
    auto const rest = web->got(200, path + "?limit=2&after=" + page.at("next").get<std::string>());
    REQUIRE(rest.at("items").size() == 1);
    CHECK(rest.at("next").is_null());
    web->problem(400, web->call(verb::get, path + "?after=versions-1"));
    CHECK(web->got(200, "/api/v1/tasks/999/skipped").at("items").empty());
}

TEST_CASE("a misfire policy is part of the definition, and a patch replaces it as a whole")
{
    auto const web = arrange(engines());
    auto task = sample("late");
    task["misfire"] = {{"action", "fire_all"}, {"limit", 7}};
    auto const path = "/api/v1/tasks/" + web->create(task);
    json const whole{{"action", "fire_all"}, {"after_ms", 60'000}, {"limit", 7}, {"within_ms", 0}};
    CHECK(web->got(200, path).at("misfire") == whole);
    auto const patched = web->call(verb::patch, path, R"({"misfire":{"after_ms":5000}})");
    CHECK(json::parse(patched.body).at("misfire") == json{{"action", "fire_once"}, {"after_ms", 5'000}});
    for (auto const* wrong : {R"({"misfire":{"limit":7}})", R"({"misfire":{"action":null}})", R"({"misfire":7})"})
        web->problem(422, web->call(verb::patch, path, wrong));
    auto const reset = web->call(verb::patch, path, R"({"misfire":null})");
    CHECK(json::parse(reset.body).at("misfire") == json{{"action", "fire_once"}, {"after_ms", 60'000}});
}

} // namespace misfire_test
