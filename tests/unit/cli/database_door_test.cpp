#include "cli/database_door.hpp"
#include "libs/base/asio.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace database_door_test {

using namespace baton;
using namespace baton::cli;

namespace {

awaitable<http::response> process(http::request const&)
{
    co_return http::json_response(200, {{"from", "process"}});
}

http::response ask(database_door& door, std::string target, bool with_token = false)
{
    http::request message;
    message.target = std::move(target);
    if (with_token)
        message.headers.set("Authorization", "Bearer t");
    asio::io_context loop(1);
    http::response answer;
    auto const routes = door.routes();
    auto const work = [&]() -> awaitable<void> { answer = co_await routes(message); };
    asio::co_spawn(loop, work, asio::detached);
    loop.run();
    return answer;
}

bool shows_token(http::request const& message)
{
    return message.headers.find("Authorization").has_value();
}

std::string detail(http::response const& answer)
{
    return nlohmann::json::parse(answer.body).at("detail");
}

} // namespace

TEST_CASE("before its database is available a process answers 503, except that it lives")
{
    database_door door(process, shows_token);
    CHECK(ask(door, "/healthz").status == 200);
    CHECK(ask(door, "/healthz?x").status == 200);
    for (auto const* path : {"/readyz", "/client/v1/register", "/api/v1/tasks", "/", "/healthz/x"}) {
        auto const answer = ask(door, path);
        CHECK(answer.status == 503);
        CHECK(answer.headers.find("Content-Type") == "application/problem+json");
        CHECK_FALSE(answer.headers.find("Retry-After")); // a client then tries another node at once
    }
}

TEST_CASE("only a caller with the token is told why the database is not available")
{
    database_door door(process, shows_token);
    door.closed_because("db.example: Connection refused");
    CHECK(detail(ask(door, "/readyz")) == "the database is not available yet");
    CHECK(detail(ask(door, "/readyz", true)) == "the database is not available yet: db.example: Connection refused");
}

TEST_CASE("once the database is available the process answers itself")
{
    database_door door(process, shows_token);
    door.open();
    CHECK(ask(door, "/readyz").status == 200);
    CHECK(ask(door, "/api/v1/tasks").status == 200);
}

} // namespace database_door_test
