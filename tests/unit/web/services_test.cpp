#include "tests/unit/web/harness.hpp"

namespace services_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

json of_service(std::string name, std::string project, std::string service)
{
    auto task = sample(std::move(name));
    task["project"] = std::move(project);
    task["service"] = std::move(service);
    return task;
}

std::string names(json const& page)
{
    std::string all;
    for (auto const& each : page.at("items"))
        all += each.at("project").get<std::string>() + "/" + each.value("service", "") + " ";
    return all;
}

// A task of a service with a live client.
std::string create(site_on_store& web, std::string name, std::string const& project, std::string const& service)
{
    web.join_client(service, {"close-day"}, project);
    return web.create(of_service(std::move(name), project, service));
}

} // namespace

TEST_CASE("services and projects are listed in order, and in pages")
{
    auto const web = arrange(engines());
    create(*web, "a", "shop", "stock");
    create(*web, "b", "shop", "billing");
    create(*web, "c", "default", "mail");
    web->create(of_service("d", "shop", "stock"));
    CHECK(names(web->got(200, "/api/v1/services")) == "default/billing default/mail shop/billing shop/stock ");
    CHECK(names(web->got(200, "/api/v1/services?project=shop")) == "shop/billing shop/stock ");
    auto const first = web->got(200, "/api/v1/services?limit=3");
    CHECK(first.at("next") == "shop/billing");
    CHECK(names(web->got(200, "/api/v1/services?limit=3&after=shop%2Fbilling")) == "shop/stock ");
    CHECK(names(web->got(200, "/api/v1/projects")) == "default/ shop/ ");
    CHECK(names(web->got(200, "/api/v1/projects?after=default")) == "shop/ ");
    web->got(400, "/api/v1/services?after=shop");
}

TEST_CASE("a service is listed with its clients, counted by whether they get work")
{
    auto const web = arrange(engines());
    web->posted(201, "/api/v1/tasks?allow_unserved=true", of_service("a", "shop", "stock"));
    auto const clients = [&](std::size_t which) {
        return web->got(200, "/api/v1/services").at("items").at(which).at("clients");
    };
    json counts{{"up", 0}, {"draining", 0}, {"unreachable", 0}, {"drained", 0}, {"pending", 1}};
    CHECK(clients(0) == counts);
    web->data.exec("UPDATE client SET reach = 'reachable'");
    counts.update({{"up", 1}, {"pending", 0}});
    CHECK(clients(0) == counts);
    web->posted(200, "/api/v1/clients/default:billing-1/drain");
    counts.update({{"up", 0}, {"drained", 1}});
    CHECK(clients(0) == counts);
    counts["drained"] = 0;
    CHECK(clients(1) == counts);
}

TEST_CASE("a pause is shown at the service, its tasks and what waits, until it is resumed")
{
    auto const web = arrange(engines());
    auto const task = create(*web, "a", "shop", "stock");
    auto const begun = web->posted(200, "/api/v1/services/shop/stock/pause",
                                   {{"reason", "incident 17"}, {"by", "ann"}, {"firings", "skip"}});
    CHECK(begun.at("pause").at("firings") == "skip");
    CHECK(web->data.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'pause'") == 1);
    auto const shown = web->got(200, "/api/v1/tasks/" + task).at("paused");
    CHECK(shown.at("of") == "service");
    CHECK(shown.at("reason") == "incident 17");
    CHECK(shown.at("begun_by") == "ann");
    CHECK(web->got(200, "/api/v1/services?project=shop").at("items").at(0).at("paused") == shown);
    web->posted(409, "/api/v1/services/shop/stock/pause", {{"reason", "again"}});
    json const unseen{{"reason", std::string("a\0b", 3)}};
    CHECK(web->problem(422, web->post("/api/v1/services/shop/stock/pause", unseen)).at("field") == "reason");

    web->posted(200, "/api/v1/services/shop/stock/resume", {{"by", "bob"}});
    CHECK(web->got(200, "/api/v1/tasks/" + task).at("paused").is_null());
    auto const history = web->got(200, "/api/v1/services/shop/stock").at("pauses");
    REQUIRE(history.size() == 1);
    CHECK(history.at(0).at("ended_by") == "bob");
    web->posted(409, "/api/v1/services/shop/stock/resume", json::object());
    web->posted(200, "/api/v1/services/shop/stock/pause", {{"reason", "again"}});
}

TEST_CASE("the pause of a project is shown at its services")
{
    auto const web = arrange(engines());
    create(*web, "a", "shop", "stock");
    web->posted(200, "/api/v1/projects/shop/pause", {{"reason", "moving"}});
    CHECK(web->got(200, "/api/v1/services?project=shop").at("items").at(0).at("paused").at("of") == "project");
    CHECK(web->got(200, "/api/v1/projects/shop").at("pauses").size() == 1);
    web->posted(409, "/api/v1/services/shop/stock/resume", json::object());
    web->posted(200, "/api/v1/projects/shop/resume", json::object());
}

TEST_CASE("settings of services and projects are put whole, under If-Match, also before the first task")
{
    auto const web = arrange(engines());
    create(*web, "a", "shop", "stock");
    auto const put = [&](int status, std::string const& target, json const& body, headers const& with = {}) {
        auto const answer = web->call(verb::put, target, body.dump(), with);
        INFO(answer.body);
        REQUIRE(answer.status == status);
        return json::parse(answer.body);
    };
    std::string const stock = "/api/v1/services/shop/stock/settings";
    CHECK(web->got(200, stock).at("version") == 0);
    json const limited{{"limits", {{"concurrency", 3}, {"rate", {{"limit", 10}}}}}};
    auto const first = put(200, stock, limited);
    CHECK(first.at("version") == 1);
    CHECK(first.at("settings").at("limits").at("rate").at("burst") == 6);
    CHECK(web->data.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'settings'") == 1);
    put(412, stock, limited, {{"If-Match", "\"7\""}});
    CHECK(put(200, stock, json::object(), {{"If-Match", "\"1\""}}).at("version") == 2);
    CHECK(web->got(200, stock).at("settings").at("limits").at("concurrency") == 0);

    web->got(404, "/api/v1/projects/new/settings");
    put(200, "/api/v1/projects/new/settings", limited);
    CHECK(web->got(200, "/api/v1/projects/new/settings").at("settings").at("limits").at("concurrency") == 3);
    auto const refusal = put(422, stock, {{"limits", {{"speed", 3}}}});
    CHECK(refusal.at("field") == "limits.speed");
    CHECK_THAT(refusal.at("detail").get<std::string>(), Catch::Contains("the fields here are: concurrency, rate"));
    put(404, "/api/v1/services/shop/%20/settings", limited);
    put(404, "/api/v1/projects/" + std::string(65, 'p') + "/settings", limited);
    put(404, "/api/v1/services/shop/" + std::string(101, 's') + "/settings", limited);
    put(200, "/api/v1/services/shop/" + std::string(100, 's') + "/settings", limited);
}

TEST_CASE("what does not exist cannot be paused, and a pause needs a reason")
{
    auto const web = arrange(engines());
    create(*web, "a", "shop", "stock");
    web->posted(404, "/api/v1/services/shop/stok/pause", {{"reason", "typo"}});
    web->posted(404, "/api/v1/projects/shoq/pause", {{"reason", "typo"}});
    web->got(404, "/api/v1/projects/shoq");
    web->posted(422, "/api/v1/services/shop/stock/pause", json::object());
    web->posted(422, "/api/v1/services/shop/stock/pause", {{"reason", ""}});
    web->posted(422, "/api/v1/services/shop/stock/pause", {{"reason", "x"}, {"firings", "drop"}});
}

} // namespace services_test
