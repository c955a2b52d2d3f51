#include "tests/unit/web/harness.hpp"
#include "web/task_defaults.hpp"

namespace task_defaults_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;
using protocol::origin;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

web::task_defaults defaults(json const& service, json const& project)
{
    protocol::scope_settings one;
    one.of = {"shop", "billing"};
    one.settings.defaults = service;
    protocol::scope_settings wide;
    wide.of = {"shop", ""};
    wide.settings.defaults = project;
    return web::task_defaults({wide, one});
}

json task_of(json const& more = json::object())
{
    json task{{"name", "t"}, {"service", "billing"}, {"handler", "h"}, {"schedule", {{"kind", "api"}}}};
    task.update(more);
    return task;
}

protocol::task_definition saved(web::task_defaults const& from, json const& document)
{
    auto const filled = from.fill(document);
    auto task = protocol::parse_task(filled.document);
    task.origins = filled.origins;
    return task;
}

struct bench {
    std::unique_ptr<site_on_store> web = arrange(engines());

    json put(int status, std::string const& target, json const& body)
    {
        auto const answer = web->call(verb::put, target, body.dump());
        INFO(answer.body);
        REQUIRE(answer.status == status);
        return json::parse(answer.body);
    }
    json patch(int status, std::string const& target, json const& body)
    {
        auto const answer = web->call(verb::patch, target, body.dump());
        INFO(answer.body);
        REQUIRE(answer.status == status);
        return json::parse(answer.body);
    }
    void project(json const& wanted) { put(200, "/api/v1/projects/default/settings", {{"defaults", wanted}}); }
    void service(json const& wanted) { put(200, "/api/v1/services/default/billing/settings", {{"defaults", wanted}}); }
};

// Served by the client of arrange(), and with no policy of its own.
json plain(std::string name)
{
    return {{"name", std::move(name)}, {"service", "billing"}, {"handler", "remind"}, {"schedule", {{"kind", "api"}}}};
}

} // namespace

TEST_CASE("a policy is the task's own, else that of its service, else that of its project, else built in")
{
    auto const from = defaults({{"max_attempts", 3}}, {{"max_attempts", 9}, {"timeout_ms", 5000}});
    auto const task = saved(from, task_of({{"max_deaths", 7}}));
    CHECK(task.max_attempts == 3);
    CHECK(task.timeout == 5s);
    CHECK(task.max_deaths == 7);
    auto const origins = web::effective_origins(task);
    CHECK(origins.at("max_attempts") == origin::service);
    CHECK(origins.at("timeout_ms") == origin::project);
    CHECK(origins.at("max_deaths") == origin::task);
    CHECK(origins.at("misfire") == origin::built_in);
    CHECK_FALSE(origins.contains("zone")); // its schedule has none
    CHECK(protocol::parse_task(json::parse(protocol::to_text(task))).origins == task.origins);
}

TEST_CASE("the rate, the priority and the context of the handler may be defaults")
{
    auto const from = defaults({{"rate", {{"limit", 5}, {"per_ms", 60'000}}}, {"priority", -7}},
                               {{"rate", {{"limit", 9}}}, {"context", {"previous"}}});
    auto const task = saved(from, task_of());
    CHECK(task.rate.limit == 5);
    CHECK(task.rate.per == 1min);
    CHECK(task.priority == -7);
    CHECK(task.context.previous);
    auto const origins = web::effective_origins(task);
    CHECK(origins.at("rate") == origin::service);
    CHECK(origins.at("priority") == origin::service);
    CHECK(origins.at("context") == origin::project);
    auto const own = saved(from, task_of({{"rate", {{"limit", 0}}}, {"priority", 0}, {"context", json::array()}}));
    CHECK(own.rate.limit == 0);
    CHECK(own.priority == 0);
    CHECK_FALSE(own.context.any());
    json const back{{"rate", nullptr}, {"priority", nullptr}, {"context", nullptr}};
    auto const filled = from.fill_patch(back, own);
    auto const again = protocol::patch_task(own, filled.document);
    CHECK(again.rate == task.rate);
    CHECK(again.priority == -7);
    CHECK(again.context == task.context);
}

TEST_CASE("a policy is taken whole, and a route with its routing")
{
    auto const from =
        defaults({{"misfire", {{"action", "skip"}}}}, {{"misfire", {{"action", "fire_all"}, {"limit", 7}}},
                                                       {"routing", "instance"},
                                                       {"route", {{"instance", "build"}}}});
    auto const task = saved(from, task_of());
    CHECK(task.misfire.action == protocol::misfire_action::skip);
    CHECK(task.misfire.limit == protocol::misfire_policy{}.limit);
    CHECK(task.route.instance == "build");
    auto const own = saved(from, task_of({{"routing", "random"}}));
    CHECK(own.route.instance.empty());
    CHECK(web::effective_origins(own).at("routing") == origin::task);
}

TEST_CASE("the zone is that of a schedule that has one")
{
    auto const from = defaults(json::object(), {{"zone", "Europe/Berlin"}});
    json const daily{{"kind", "cron"}, {"cron", "0 2 * * *"}};
    auto const task = saved(from, task_of({{"schedule", daily}}));
    CHECK(task.schedule.zone == "Europe/Berlin");
    CHECK(web::effective_origins(task).at("zone") == origin::project);
    auto own = daily;
    own["zone"] = "UTC";
    CHECK(saved(from, task_of({{"schedule", own}})).schedule.zone == "UTC");
    json const steady{{"kind", "fixed_rate"}, {"every_ms", 1000}};
    CHECK_NOTHROW(saved(from, task_of({{"schedule", steady}})));
}

TEST_CASE("a patch makes a policy the task's own, or by null takes the present default, and leaves all others")
{
    auto const before = saved(defaults({{"max_attempts", 3}, {"timeout_ms", 1000}}, json::object()), task_of());
    auto const later =
        defaults({{"max_attempts", 4}, {"timeout_ms", 2000}, {"limits", {{"total_ms", 60'000}}}}, json::object());
    auto const filled =
        later.fill_patch({{"max_attempts", nullptr}, {"retry_delay_ms", 50}, {"limits", nullptr}}, before);
    auto const after = protocol::patch_task(before, filled.document);
    CHECK(after.max_attempts == 4);
    CHECK(after.timeout == 1s);
    CHECK(after.limits.total == 1min);
    CHECK(filled.origins.at("max_attempts") == origin::service);
    CHECK(filled.origins.at("timeout_ms") == origin::service);
    CHECK(filled.origins.at("retry_delay_ms") == origin::task);
    auto const none = defaults(json::object(), json::object()).fill_patch({{"max_attempts", nullptr}}, before);
    CHECK(protocol::patch_task(before, none.document).max_attempts == 1);
    CHECK_FALSE(none.origins.contains("max_attempts"));
}

TEST_CASE("a replacement keeps the origin of a policy that it does not change")
{
    auto const from = defaults({{"max_attempts", 3}}, json::object());
    auto const before = saved(from, task_of());
    auto whole = protocol::to_json(before);
    auto same = saved(from, whole);
    web::keep_origins(same, before);
    CHECK(same.origins == before.origins);
    whole["max_attempts"] = 5;
    auto changed = saved(from, whole);
    web::keep_origins(changed, before);
    CHECK(changed.origins.at("max_attempts") == origin::task);
}

TEST_CASE("a task shows what it took from its service and project, and a change of these changes no saved task")
{
    bench b;
    b.project({{"max_attempts", 2}, {"timeout_ms", 7000}});
    b.service({{"max_attempts", 3}});
    auto const id = b.web->posted(201, "/api/v1/tasks", plain("a")).at("id").get<std::string>();
    auto const path = "/api/v1/tasks/" + id;
    auto const made = b.web->got(200, path);
    CHECK(made.at("max_attempts") == 3);
    CHECK(made.at("timeout_ms") == 7000);
    CHECK(made.at("origins").at("max_attempts") == "service");
    CHECK(made.at("origins").at("timeout_ms") == "project");
    b.service({{"max_attempts", 5}});
    CHECK(b.web->got(200, path).at("max_attempts") == 3);
    CHECK(b.put(200, path, made).at("version") == 1); // sent back as it is
    CHECK(b.patch(200, path, {{"description", "x"}}).at("max_attempts") == 3);
    auto const anew = b.patch(200, path, {{"max_attempts", nullptr}});
    CHECK(anew.at("max_attempts") == 5);
    CHECK(anew.at("origins").at("max_attempts") == "service");
    auto const own = b.patch(200, path, {{"max_attempts", 6}});
    CHECK(own.at("origins").at("max_attempts") == "task");
    CHECK(b.put(200, path, plain("a")).at("max_attempts") == 5); // names none
}

TEST_CASE("a default that does not fit a task is refused when the task is saved, with the reason")
{
    bench b;
    b.project({{"concurrency", {{"limit", 1}, {"key", "/customer"}}}});
    auto task = plain("a");
    task["schedule"] = {{"kind", "fixed_rate"}, {"every_ms", 60'000}};
    auto const refusal = b.web->posted(422, "/api/v1/tasks", task);
    CHECK(refusal.at("field") == "payload");
    auto const said = refusal.at("detail").get<std::string>();
    CHECK(said.find("its concurrency is the default of project 'default': give the task a value of its own") !=
          std::string::npos);
    task["concurrency"] = {{"limit", 1}};
    b.web->posted(201, "/api/v1/tasks", task);
}

TEST_CASE("defaults are refused when they are set, with the field, and origins when a person gives them")
{
    bench b;
    auto const refused = [&](json const& wanted) {
        return b.put(422, "/api/v1/projects/default/settings", {{"defaults", wanted}}).at("field").get<std::string>();
    };
    CHECK(refused({{"max_attempts", 0}}) == "defaults.max_attempts");
    CHECK(refused({{"misfire", {{"action", "drop"}}}}) == "defaults.misfire.action");
    CHECK(refused({{"payload", 1}}) == "defaults.payload");
    CHECK(refused({{"route", {{"tag", "gpu"}}}}) == "defaults.route");
    CHECK(refused({{"zone", "Europe/Berln"}}) == "defaults.zone");
    CHECK(refused(json::array()) == "defaults");
    auto task = plain("a");
    task["origins"] = {{"max_attempts", "task"}};
    CHECK(b.web->posted(422, "/api/v1/tasks", task).at("field") == "origins");
}

} // namespace task_defaults_test
