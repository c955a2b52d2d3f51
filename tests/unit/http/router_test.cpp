#include "libs/base/error.hpp"
#include "libs/base/overloaded.hpp"
#include "libs/http/router.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace router_test {

using namespace baton;
using namespace baton::http;

namespace {

handler says(std::string name)
{
    return [name](request const& asked) -> awaitable<response> {
        auto said = name;
        for (auto const& [key, value] : asked.params)
            said += " " + key + "=" + value;
        response answer;
        answer.body = said;
        co_return answer;
    };
}

template <class Failure>
handler throws(Failure failure)
{
    return [failure](request const&) -> awaitable<response> {
        throw failure;
        co_return response{};
    };
}

response ask(router const& endpoints, verb method, std::string target, std::string const& coding = {})
{
    asio::io_context io;
    request asked;
    asked.method = method;
    asked.target = std::move(target);
    if (!coding.empty())
        asked.headers.set("Content-Encoding", coding);
    response got;
    std::exception_ptr failed;
    asio::co_spawn(io, endpoints.handle(asked), [&](std::exception_ptr failure, response answer) {
        failed = failure;
        got = std::move(answer);
    });
    io.run();
    if (failed)
        std::rethrow_exception(failed);
    return got;
}

} // namespace

TEST_CASE("a path finds its endpoint, and its parameters are decoded")
{
    router endpoints;
    endpoints.add(verb::get, "/", says("root"));
    endpoints.add(verb::get, "/tasks", says("list"));
    endpoints.add(verb::get, "/tasks/{id}", says("one"));
    endpoints.add(verb::get, "/tasks/{id}/next", says("next"));
    endpoints.add(verb::get, "/tasks/import", says("import"));
    endpoints.add(verb::get, "/{a}/{b}/{c}", says("any"));
    CHECK(ask(endpoints, verb::get, "/").body == "root");
    CHECK(ask(endpoints, verb::get, "/tasks?limit=5").body == "list");
    CHECK(ask(endpoints, verb::get, "/tasks/4%2F2%20x").body == "one id=4/2 x");
    CHECK(ask(endpoints, verb::get, "/tasks/42/next?count=3").body == "next id=42");
    CHECK(ask(endpoints, verb::get, "/tasks/import").body == "import");
    CHECK(ask(endpoints, verb::get, "/x/y/z").body == "any a=x b=y c=z");
}

TEST_CASE("an unknown path is answered 404, and an unknown method 405 with the allowed methods")
{
    router endpoints;
    endpoints.add(verb::get, "/tasks/{id}", says("read"));
    endpoints.add(verb::del, "/tasks/{id}", says("delete"));
    for (auto const* path : {"/tasks", "/tasks/", "/tasks/1/", "/tasks/1/2", "/Tasks/1", "//", "*"})
        CHECK(ask(endpoints, verb::get, path).status == 404);
    auto const refused = ask(endpoints, verb::put, "/tasks/1");
    CHECK(refused.status == 405);
    CHECK(refused.headers.find("Allow") == "GET, HEAD, DELETE");
    CHECK(ask(endpoints, verb::other, "/tasks/1").status == 405);
    CHECK(ask(endpoints, verb::get, "/tasks/%zz").status == 400);
}

TEST_CASE("a compressed body is refused with the remedy")
{
    router endpoints;
    endpoints.add(verb::post, "/tasks", says("made"));
    CHECK(ask(endpoints, verb::post, "/tasks", "identity").status == 200);
    auto const refused = ask(endpoints, verb::post, "/tasks", "gzip");
    CHECK(refused.status == 415);
    CHECK(refused.body.find("send it uncompressed") != std::string::npos);
    CHECK(refused.headers.find("Accept-Encoding") == "identity");
}

TEST_CASE("HEAD is answered like GET, with the length of the body but without the body")
{
    router endpoints;
    endpoints.add(verb::get, "/tasks", says("twelve bytes"));
    auto const answer = ask(endpoints, verb::head, "/tasks");
    CHECK(answer.status == 200);
    CHECK(answer.body.empty());
    CHECK(answer.headers.find("Content-Length") == "12");
}

TEST_CASE("an exception of a handler becomes an error answer without internal details")
{
    router endpoints;
    endpoints.add(verb::get, "/wrong", throws(invalid_input("name", "too long")));
    endpoints.add(verb::get, "/down", throws(unavailable("database is away")));
    endpoints.add(verb::get, "/full", throws(overloaded("too many wait", 1'500ms)));
    endpoints.add(verb::get, "/bug", throws(std::runtime_error("password=hunter2")));
    endpoints.add(verb::get, "/odd", throws(42));
    auto const wrong = ask(endpoints, verb::get, "/wrong");
    CHECK(wrong.status == 400);
    CHECK(parse_json(wrong.body).at("field") == "name");
    CHECK(ask(endpoints, verb::get, "/down").status == 503);
    CHECK_FALSE(ask(endpoints, verb::get, "/down").headers.find("Retry-After"));
    CHECK(ask(endpoints, verb::get, "/full").status == 503);
    CHECK(ask(endpoints, verb::get, "/full").headers.find("Retry-After") == "2");
    CHECK(ask(endpoints, verb::get, "/bug").status == 500);
    CHECK(ask(endpoints, verb::get, "/bug").body.find("hunter2") == std::string::npos);
    CHECK(ask(endpoints, verb::get, "/odd").status == 500);
}

TEST_CASE("a cancelled handler ends with its own exception instead of an answer, whatever the exception's type")
{
    router endpoints;
    boost::system::system_error const aborted(asio::error::operation_aborted);
    endpoints.add(verb::get, "/aborted", throws(aborted));
    CHECK_THROWS_AS(ask(endpoints, verb::get, "/aborted"), boost::system::system_error);

    endpoints.add(verb::get, "/waits", [](request const&) -> awaitable<response> {
        asio::steady_timer never(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
        error_code ignored;
        co_await never.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        throw std::logic_error("because it was cancelled");
    });
    asio::io_context io;
    asio::cancellation_signal stop;
    request asked;
    asked.target = "/waits";
    std::exception_ptr failed;
    auto const ended = [&](std::exception_ptr failure, response const&) { failed = failure; };
    asio::co_spawn(io, endpoints.handle(asked), asio::bind_cancellation_slot(stop.slot(), ended));
    io.poll();
    stop.emit(asio::cancellation_type::terminal);
    io.run();
    REQUIRE(failed);
    CHECK_THROWS_AS(std::rethrow_exception(failed), std::logic_error);
}

} // namespace router_test
