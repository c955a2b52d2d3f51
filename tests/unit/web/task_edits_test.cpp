#include "tests/unit/web/harness.hpp"

namespace task_edits_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

} // namespace

TEST_CASE("an answer can be changed and sent back, and a stale ETag is refused")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("edited"));
    auto task = web->got(200, path);
    task["description"] = "changed";
    auto const done = web->call(verb::put, path, task.dump(), {{"If-Match", "\"1\""}});
    REQUIRE(done.status == 200);
    CHECK(done.headers.find("ETag") == "\"2\"");
    CHECK(json::parse(done.body).at("description") == "changed");
    CHECK(json::parse(done.body).contains("valid_from"));

    task["description"] = "lost";
    auto const no = web->problem(412, web->call(verb::put, path, task.dump(), {{"If-Match", "\"1\""}}));
    CHECK(no.at("field") == "If-Match");
    web->problem(412, web->call(verb::put, path, task.dump(), {{"If-Match", "\"99999999999\""}}));
    for (auto const* tag : {"\"another\"", "W/\"2\"", "\"1\", \"2\"", "", "2", "\"02\"", "\"-2\"", "\"0\""}) {
        INFO(tag);
        CHECK(web->problem(400, web->call(verb::put, path, task.dump(), {{"If-Match", tag}})).at("field") ==
              "If-Match");
    }
    CHECK(web->got(200, path).at("description") == "changed");
    CHECK(web->call(verb::put, path, task.dump(), {{"If-Match", "*"}}).status == 200);
    CHECK(web->call(verb::put, path, task.dump()).status == 200);
}

TEST_CASE("an edit that changes nothing returns the current version and sends no signal")
{
    auto const web = arrange(engines());
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    auto const made = web->posted(201, "/api/v1/tasks", sample("same"));
    auto const path = "/api/v1/tasks/" + made.at("id").get<std::string>();
    auto const told = web->http.seen.size();
    auto const rows = [&] { return web->data.number("SELECT COUNT(*) FROM `signal`"); };
    auto const signals = rows();
    auto const task = web->got(200, path);
    for (auto const& answer :
         {web->call(verb::put, path, task.dump(), {{"If-Match", "\"1\""}}),
          web->call(verb::patch, path, R"({"max_attempts":1})"), web->call(verb::patch, path, "{}")}) {
        REQUIRE(answer.status == 200);
        CHECK(answer.headers.find("ETag") == "\"1\"");
        auto const body = json::parse(answer.body);
        CHECK(body.at("version") == 1);
        CHECK(body.at("valid_from") == made.at("valid_from"));
        CHECK(body.at("cancelled") == 0);
        CHECK(body.at("updated_at") == made.at("updated_at"));
        CHECK(body.at("master_notified") == false);
    }
    CHECK(rows() == signals);
    CHECK(web->http.seen.size() == told);
    CHECK(web->got(200, path + "/versions").at("items").size() == 1);
    web->data.exec("UPDATE task SET parked_for = 'x', parked_at = 1, parked_reason = 'it failed'");
    CHECK(json::parse(web->call(verb::patch, path, "{}").body).at("version") == 2); // an edit ends the parking
    CHECK(web->got(200, path).at("parked_reason").is_null());
}

TEST_CASE("a patch changes the fields that it names and keeps the others")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("patched"));
    auto const answer =
        web->call(verb::patch, path, R"({"max_attempts":3,"payload":{"day":null,"week":7}})", {{"If-Match", "\"1\""}});
    REQUIRE(answer.status == 200);
    auto const task = web->got(200, path);
    CHECK(task.at("max_attempts") == 3);
    CHECK(task.at("payload") == json{{"week", 7}});
    CHECK(task.at("schedule").at("cron") == "30 2 * * *");
    web->problem(412, web->call(verb::patch, path, "{}", {{"If-Match", "\"1\""}}));
    auto const no = web->problem(422, web->call(verb::patch, path, R"({"max_attempts":0})"));
    CHECK(no.at("field") == "max_attempts");
}

TEST_CASE("a time-out above the limit of all attempts is refused, and an older task keeps it until one of them changes")
{
    auto const web = arrange(GENERATE(storage::engine::sqlite, storage::engine::mysql));
    auto task = sample("t");
    task["timeout_ms"] = 6'000;
    task["limits"] = {{"total_ms", 5'000}};
    auto const refusal = web->problem(422, web->post("/api/v1/tasks", task));
    CHECK(refusal.at("field") == "timeout_ms");
    task["timeout_ms"] = 5'000;
    auto const id = "/api/v1/tasks/" + web->create(task);
    auto const patch = [&](json const& change) { return web->call(verb::patch, id, change.dump()); };
    CHECK(web->problem(422, patch({{"limits", {{"total_ms", 4'000}}}})).at("field") == "timeout_ms");
    CHECK(web->problem(422, patch({{"timeout_ms", 6'000}})).at("field") == "timeout_ms");
    std::string const stored =
        "UPDATE task SET definition = REPLACE(definition, '\"total_ms\":5000', '\"total_ms\":4000')";
    web->data.exec(stored);
    CHECK(web->got(200, id).at("limits").at("total_ms") == 4'000);
    CHECK(patch({{"description", "other"}}).status == 200);

    json const limits{{"defaults", {{"limits", {{"total_ms", 5'000}}}}}};
    auto const settings = "/api/v1/services/default/billing/settings";
    REQUIRE(web->call(verb::put, settings, limits.dump()).status == 200);
    auto own = sample("own");
    own["timeout_ms"] = 6'000;
    auto const detail = web->problem(422, web->post("/api/v1/tasks", own)).at("detail").get<std::string>();
    CHECK_THAT(detail, Catch::Contains("its limits is the default of service 'billing'"));
    auto both = limits;
    both["defaults"]["timeout_ms"] = 6'000;
    CHECK(web->problem(422, web->call(verb::put, settings, both.dump())).at("field") == "defaults.timeout_ms");
}

TEST_CASE("renaming a task to a name that is taken is refused")
{
    auto const web = arrange(engines());
    web->create(sample("a"));
    auto const path = "/api/v1/tasks/" + web->create(sample("b"));
    CHECK(web->problem(409, web->call(verb::patch, path, R"({"name":"a"})")).at("field") == "name");
    CHECK(web->got(200, path).at("name") == "b");
}

TEST_CASE("a read with the current ETag is answered with 304")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("cached"));
    auto const same = web->get(path, {{"If-None-Match", "\"7\", W/\"1\""}});
    CHECK(same.status == 304);
    CHECK(same.body.empty());
    CHECK(same.headers.find("ETag") == "\"1\"");
    CHECK(web->get(path, {{"If-None-Match", "\"2\""}}).status == 200);
    auto const head = web->call(verb::head, path);
    CHECK(head.status == 200);
    CHECK(head.body.empty());
}

TEST_CASE("a disabled task has no next firing until it is enabled again")
{
    auto const web = arrange(engines());
    auto const path = "/api/v1/tasks/" + web->create(sample("switched"));
    auto const off = web->posted(200, path + "/disable");
    CHECK(off.at("enabled") == false);
    CHECK(off.at("next_fire_at").is_null());
    CHECK(off.at("next_at").is_null());
    web->problem(412, web->call(verb::post, path + "/enable", "", {{"If-Match", "\"1\""}}));
    auto const on = web->posted(200, path + "/enable", nullptr, {{"If-Match", "\"2\""}});
    CHECK(on.at("enabled") == true);
    CHECK_FALSE(on.at("next_fire_at").is_null());
    CHECK(on.at("version") == 3);
}

TEST_CASE("enabling a task whose only firing has passed is refused")
{
    auto const web = arrange(engines());
    auto task = sample("missed");
    task["enabled"] = false;
    task["schedule"] = {{"kind", "once"}, {"at", "2230-01-01T00:00:00Z"}};
    auto const path = "/api/v1/tasks/" + web->create(task);
    web->data.exec("UPDATE task SET definition = REPLACE(definition, '2230-', '2020-')");
    CHECK(web->problem(422, web->call(verb::post, path + "/enable")).at("field") == "schedule.at");
    CHECK(web->problem(422, web->call(verb::patch, path, R"({"enabled":true})")).at("field") == "schedule.at");
    CHECK(web->got(200, path).at("enabled") == false);
    CHECK(web->call(verb::patch, path, R"({"description":"missed its day"})").status == 200);
}

TEST_CASE("a deleted task is no longer found, and its name is free")
{
    auto const web = arrange(engines());
    auto const id = web->create(sample("deleted"));
    auto const path = "/api/v1/tasks/" + id;
    web->problem(412, web->call(verb::del, path, "", {{"If-Match", "\"9\""}}));
    auto const done = web->call(verb::del, path, "", {{"If-Match", "\"1\""}});
    REQUIRE(done.status == 200);
    CHECK(json::parse(done.body).at("id") == id);
    web->problem(404, web->get(path));
    web->problem(404, web->call(verb::del, path));
    web->problem(404, web->call(verb::put, path, sample("deleted").dump()));
    web->problem(404, web->call(verb::patch, path, "{}"));
    for (auto const* action : {"/enable", "/disable", "/run"})
        web->problem(404, web->call(verb::post, path + action));
    web->problem(404, web->get(path + "/next"));
    web->create(sample("deleted"));
}

TEST_CASE("a task keeps the seed of its hashed values when it is renamed, patched or replaced")
{
    auto const web = arrange(engines());
    auto task = sample("hashed");
    task["schedule"] = {{"kind", "cron"}, {"cron", "H H * * *"}};
    auto const made = web->posted(201, "/api/v1/tasks", task);
    auto const seed = made.at("schedule").at("hash_seed");
    auto const path = "/api/v1/tasks/" + made.at("id").get<std::string>();
    task["name"] = "renamed";
    auto const put = json::parse(web->call(verb::put, path, task.dump()).body);
    CHECK(put.at("schedule").at("hash_seed") == seed);
    CHECK(put.at("schedule_text") == made.at("schedule_text"));
    auto const whole = R"({"schedule":{"kind":"cron","cron":"H 4 * * *"}})";
    auto const patched = json::parse(web->call(verb::patch, path, whole).body);
    CHECK(patched.at("schedule").at("hash_seed") == seed);
    auto twin = sample("hashed");
    twin["schedule"] = {{"kind", "cron"}, {"cron", "H H * * *"}};
    CHECK(web->posted(201, "/api/v1/tasks", twin).at("schedule").at("hash_seed") == seed);
}

} // namespace task_edits_test
