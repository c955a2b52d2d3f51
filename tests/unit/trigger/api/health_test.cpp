#include "libs/base/error.hpp"
#include "trigger/api/api.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

namespace health_test {

using namespace baton;
using namespace baton::trigger;
using nlohmann::json;

namespace {

enum class database { answers, unavailable };

http::response ask(database now, bool joined, std::string const& token, std::string const& shown,
                   std::string const& path = "/readyz")
{
    http::router endpoints;
    add_health_endpoints(
        endpoints, token,
        [] {
            return json{{"role", "master"},
                        {"epoch", 7},
                        {"cannot_plan", "db-7 refused"},
                        {"failed_parts", json::array()},
                        {"loops", {}}};
        },
        [&]() -> awaitable<bool> {
            if (now == database::unavailable)
                throw unavailable("no connection to 10.0.0.5");
            co_return joined;
        });
    http::request asked;
    asked.target = path;
    if (!shown.empty())
        asked.headers.set("Authorization", "Bearer " + shown);
    asio::io_context io;
    http::response got;
    asio::co_spawn(io, endpoints.handle(asked), [&](std::exception_ptr, http::response answer) { got = answer; });
    io.run();
    return got;
}

} // namespace

TEST_CASE("/readyz tells every caller whether the node is ready, but its state only to callers with the token")
{
    auto const anonymous = ask(database::answers, true, "token", "");
    CHECK(anonymous.status == 200);
    CHECK(json::parse(anonymous.body) == json{{"status", "ready"}});
    CHECK(ask(database::answers, true, "token", "other").body == anonymous.body);
    CHECK(json::parse(ask(database::answers, true, "token", "token").body).at("role") == "master");
    CHECK(json::parse(ask(database::answers, true, "", "").body).at("role") == "master"); // there is no token to show
}

TEST_CASE("/readyz of a node that is not ready gives the reason only to callers with the token")
{
    for (auto const now : {database::answers, database::unavailable}) {
        auto const anonymous = ask(now, false, "token", "");
        CHECK(anonymous.status == 503);
        CHECK(json::parse(anonymous.body).at("detail") == "not ready");
    }
    CHECK(json::parse(ask(database::unavailable, false, "token", "token").body).at("detail") ==
          "no connection to 10.0.0.5");
    auto const stopping = ask(database::answers, false, "token", "token");
    CHECK(json::parse(stopping.body).at("detail").get<std::string>().starts_with("this node is stopping"));
}

TEST_CASE("/healthz shows loops and the reason for not planning only to callers with the token")
{
    auto const told = json::parse(ask(database::answers, true, "token", "", "/healthz").body);
    CHECK(told == json{{"role", "master"}, {"epoch", 7}});
    CHECK(json::parse(ask(database::answers, true, "token", "token", "/healthz").body).at("cannot_plan") ==
          "db-7 refused");
}

} // namespace health_test
