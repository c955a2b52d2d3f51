#include "tests/unit/http/loopback.hpp"

namespace admission_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;

namespace {

awaitable<response> length(request const& asked)
{
    auto answer = text(std::to_string(asked.body.size()));
    co_return answer;
}

// Takes bodies with the right credential, short ones at /open, and none elsewhere.
admission judge(request const& head)
{
    admission judged;
    if (head.target == "/open")
        judged.body_limit = 10;
    else if (head.headers.find("Authorization") != "Bearer right")
        judged.refusal = problem(401, "Unauthorized", "no");
    return judged;
}

server_settings guarded()
{
    server_settings settings;
    settings.admit = judge;
    settings.read_limit = 60s; // nothing here waits for it
    return settings;
}

} // namespace

TEST_CASE("a request without the credential is refused before its body is read")
{
    loopback net;
    net.listen(length, guarded());
    auto const scenario = [&]() -> awaitable<void> {
        // No byte of the body is sent: the answer comes nevertheless.
        auto const early = co_await talk(net.to, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n");
        CHECK(early.starts_with("HTTP/1.1 401 "));
        auto const chunked = co_await talk(net.to, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
        CHECK(chunked.starts_with("HTTP/1.1 401 "));
        auto const waiting =
            co_await talk(net.to, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
        CHECK(waiting.starts_with("HTTP/1.1 401 "));
        auto const whole = co_await talk(net.to, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab");
        CHECK(whole.starts_with("HTTP/1.1 401 "));
        CHECK(whole.find("Connection: close") != std::string::npos);
    };
    net.run(scenario());
}

TEST_CASE("a request with the credential, and one without a body, reaches its handler")
{
    loopback net;
    net.listen(length, guarded());
    auto const scenario = [&]() -> awaitable<void> {
        auto const made = make_client(net.time);
        auto mine = post("/", std::string(3'000'000, 'x'));
        mine.headers.set("Authorization", "Bearer right");
        auto const got = co_await try_send(*made, net.to, mine, 10s);
        REQUIRE(got.answer);
        CHECK(got.answer->body == "3000000");
        auto const bare = co_await try_send(*made, net.to, get("/"), 10s);
        REQUIRE(bare.answer);
        CHECK(bare.answer->body == "0");
    };
    net.run(scenario());
}

TEST_CASE("the body of an open path is as short as the admission says, also in chunks")
{
    loopback net;
    net.listen(length, guarded());
    auto const scenario = [&]() -> awaitable<void> {
        std::string const chunked =
            "POST /open HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
        auto const fits = co_await talk(net.to, chunked + "5\r\nabcde\r\n5\r\nabcde\r\n0\r\n\r\n");
        CHECK(fits.ends_with("\r\n10"));
        auto const longer = co_await talk(net.to, chunked + "5\r\nabcde\r\n6\r\nabcdef\r\n0\r\n\r\n");
        CHECK(longer.starts_with("HTTP/1.1 413 "));
        CHECK(longer.find("the body is larger than 10 bytes, ") != std::string::npos);
        auto const told = co_await talk(net.to, "POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
        CHECK(told.starts_with("HTTP/1.1 413 "));
    };
    net.run(scenario());
}

} // namespace admission_test
