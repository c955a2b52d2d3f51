#include "libs/base/loop.hpp"
#include "tests/unit/http/loopback.hpp"
#include "tests/unit/web/harness.hpp"

namespace access_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

web::settings with_token()
{
    web::settings how;
    how.token = "shared";
    return how;
}

} // namespace

TEST_CASE("with a configured token every request under /api needs it")
{
    auto const web = arrange(storage::engine::sqlite, with_token());
    std::vector<std::pair<verb, std::string>> const all{{verb::get, "tasks"},
                                                        {verb::post, "tasks"},
                                                        {verb::get, "tasks/1"},
                                                        {verb::put, "tasks/1"},
                                                        {verb::patch, "tasks/1"},
                                                        {verb::del, "tasks/1"},
                                                        {verb::post, "tasks/1/enable"},
                                                        {verb::post, "tasks/1/disable"},
                                                        {verb::post, "tasks/1/run"},
                                                        {verb::post, "tasks/1/skip-next"},
                                                        {verb::del, "tasks/1/skip-next"},
                                                        {verb::get, "tasks/1/next"},
                                                        {verb::post, "cron/explain"},
                                                        {verb::post, "schedules/preview"},
                                                        {verb::get, "tasks/1/versions"},
                                                        {verb::get, "executions"},
                                                        {verb::get, "executions/1"},
                                                        {verb::post, "executions/1/cancel"},
                                                        {verb::get, "nodes"},
                                                        {verb::get, "clients"},
                                                        {verb::get, "deleted-tasks"}};
    for (auto const& [method, path] : all) {
        INFO(path);
        auto const answer = web->call(method, "/api/v1/" + path);
        web->problem(401, answer);
        CHECK(answer.headers.find("WWW-Authenticate") == "Bearer");
    }
    web->problem(401, web->get("/%61pi/v1/tasks"));
    web->problem(401, web->get("/api/v1/tasks", {{"Authorization", "Bearer share"}}));
    web->problem(401, web->get("/api/v1/tasks", {{"Authorization", "Basic shared"}}));
    web->problem(401, web->get("/api/v1/tasks", {{"Authorization", "Bearer "}}));
    CHECK(web->get("/api/v1/tasks", {{"Authorization", "Bearer shared"}}).status == 200);
    CHECK(web->get("/api/v1/tasks", {{"Authorization", "bearer shared"}, {"Host", "baton.example"}}).status == 200);
    CHECK(web->get("/healthz").status == 200);
    CHECK(web->get("/readyz").status == 200);
    CHECK(web->get("/").status == 200);
}

TEST_CASE("without a token only requests to loopback names and from the site's own page are answered")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const ask = [&](headers const& with) { return web->get("/api/v1/tasks", with); };
    CHECK(ask({{"Host", "127.0.0.1:7900"}}).status == 200);
    CHECK(ask({{"Host", "localhost"}}).status == 200);
    CHECK(ask({{"Host", "[::1]:7900"}, {"Origin", "http://[::1]:7900"}}).status == 200);
    web->problem(403, ask({{"Host", "evil.example:7900"}}));
    web->problem(403, ask({{"Host", "127.0.0.1.evil.example"}}));
    web->problem(403, ask({{"Host", "127.0.0.1:7900"}, {"Origin", "http://evil.example"}}));
    web->problem(403, ask({{"Host", "127.0.0.1:7900"}, {"Origin", "http://127.0.0.1:8080"}}));
    web->problem(403, ask({{"Host", "127.0.0.1:7900"}, {"Origin", "null"}}));
    web->problem(403, ask({{"Origin", "http://127.0.0.1"}}));
    CHECK(ask({{"Host", "localhost"}, {"Sec-Fetch-Site", "same-origin"}}).status == 200);
    CHECK(ask({{"Host", "localhost"}, {"Sec-Fetch-Site", "none"}}).status == 200);
    for (auto const* site : {"cross-site", "same-site", "other"}) {
        headers const with{{"Host", "localhost"}, {"Sec-Fetch-Site", site}};
        web->problem(403, ask(with));
        web->problem(403, web->call(verb::post, "/api/v1/tasks", sample("forged").dump(), with));
    }
    auto const post = web->call(verb::post, "/api/v1/tasks", sample("forged").dump(),
                                {{"Host", "localhost:7900"}, {"Origin", "https://evil.example"}});
    web->problem(403, post);
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 0);
}

TEST_CASE("a body of ten megabytes is refused by the listener and nothing is written")
{
    auto const web = arrange(storage::engine::sqlite);
    http::test::loopback net;
    net.listen(web->routes);
    auto const by = http::make_client(net.time);
    std::optional<http::response> answer;
    auto const scenario = [&]() -> awaitable<void> {
        auto task = sample("large");
        task["payload"] = std::string(10'000'000, 'p');
        auto const asked = http::json_request(verb::post, "/api/v1/tasks", task);
        answer = co_await by->send(net.to, asked, 10s);
    };
    net.run(scenario());
    REQUIRE(answer);
    CHECK(answer->status == 413);
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 0);
}

TEST_CASE("settings out of range are refused with their key")
{
    web::settings how;
    how.edit_lead = -1s;
    try {
        require_valid(how);
        FAIL("accepted");
    } catch (invalid_input const& wrong) {
        CHECK(wrong.field() == "web.edit_lead");
    }
}

TEST_CASE("the site reads the body of a request only if its header may enter, and none outside of the API")
{
    auto const head_of = [](std::string target, headers const& with = {}) {
        http::request head;
        head.method = verb::post;
        head.target = std::move(target);
        for (auto const& [name, value] : with)
            head.headers.set(name, value);
        return head;
    };
    auto const guarded = arrange(storage::engine::sqlite, with_token());
    auto const admit = guarded->site->admitter();
    auto const refused = admit(head_of("/api/v1/tasks", {{"Authorization", "Bearer other"}})).refusal;
    REQUIRE(refused);
    CHECK(refused->status == 401);
    CHECK(refused->headers.find("WWW-Authenticate") == "Bearer");
    CHECK_FALSE(admit(head_of("/api/v1/tasks", {{"Authorization", "Bearer shared"}})).refusal);
    for (auto const* path : {"/", "/healthz", "/%61pi/v1/tasks"})
        CHECK(admit(head_of(path)).body_limit == 0);

    auto const open = arrange(storage::engine::sqlite);
    auto const admit_local = open->site->admitter();
    CHECK(admit_local(head_of("/api/v1/tasks", {{"Host", "evil.example"}})).refusal.value().status == 403);
    CHECK_FALSE(admit_local(head_of("/api/v1/tasks", {{"Host", "127.0.0.1:7801"}})).refusal);
}

TEST_CASE("an agent that calls web instead of a trigger node is told so, whatever the length of its message")
{
    auto const web = arrange(storage::engine::sqlite, with_token());
    for (auto const* path : {"/client/v1/register", "/client/v1/x?y=1", "/internal/v1/assign"}) {
        http::request head;
        head.method = verb::post;
        head.target = path;
        auto const refusal = web->site->admitter()(head).refusal;
        REQUIRE(refusal);
        CHECK(refusal->status == 421);
        auto const detail = json::parse(refusal->body).at("detail").get<std::string>();
        CHECK(detail == "this is baton web; clients and nodes call a trigger node, by default on port 7800");
        CHECK(web->get(path).status == 421); // without a body no admission is asked for
    }
    CHECK(web->get("/clients.json").status == 404);
}

} // namespace access_test
