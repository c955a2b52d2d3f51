#include "libs/base/error.hpp"
#include "tests/unit/http/loopback.hpp"

#include <nlohmann/json.hpp>

namespace server_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;

namespace {

awaitable<response> echo(request const& asked)
{
    auto answer = text(asked.target + " " + asked.body);
    co_return answer;
}

std::size_t count(std::string const& all, std::string const& part)
{
    std::size_t found = 0;
    for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

TEST_CASE("pipelined requests are answered in order, and the last one may close the connection")
{
    loopback net;
    net.listen(echo);
    auto const scenario = [&]() -> awaitable<void> {
        std::string bytes;
        for (int i = 0; i < 50; ++i)
            bytes += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab";
        bytes += "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        auto const got = co_await talk(net.to, bytes);
        CHECK(count(got, "HTTP/1.1 200 OK") == 51);
        std::size_t at = 0;
        for (int i = 0; i < 50; ++i) {
            at = got.find("/" + std::to_string(i) + " ab", at);
            REQUIRE(at != std::string::npos);
        }
        CHECK(count(got, "Connection: close") == 1);
        CHECK(got.ends_with("/last "));
    };
    net.run(scenario());
}

TEST_CASE("a handler can see whether the sender has closed the connection")
{
    loopback net;
    std::vector<bool> seen;
    bool closed = false;
    net.listen([&](request const& message) -> awaitable<response> {
        seen.push_back(message.connected());
        while (!closed)
            co_await net.time.sleep_for(1ms);
        while (message.connected())
            co_await net.time.sleep_for(1ms);
        seen.push_back(false);
        co_return text("late");
    });
    auto const scenario = [&]() -> awaitable<void> {
        auto socket = co_await dial(net.to);
        co_await write_all(socket, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
        while (seen.empty())
            co_await net.time.sleep_for(1ms);
        socket.close();
        closed = true;
        while (seen.size() < 2)
            co_await net.time.sleep_for(1ms);
        CHECK(seen == std::vector<bool>{true, false});
    };
    net.run(scenario());
}

TEST_CASE("a malformed request is answered 400, and the connection is closed")
{
    loopback net;
    net.listen(echo);
    auto const scenario = [&]() -> awaitable<void> {
        auto const got = co_await talk(net.to, "GET / HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01 nonsense\r\n\r\n");
        CHECK(count(got, "HTTP/1.1 200") == 1);
        CHECK(count(got, "HTTP/1.1 400") == 1);
        CHECK(count(got, "Connection: close") == 1);
        CHECK(count(got, "application/problem+json") == 1);
    };
    net.run(scenario());
}

TEST_CASE("a request without a host, or with two, is answered 400 with the reason, and its handler does not run")
{
    loopback net;
    int handled = 0;
    net.listen([&](request const&) -> awaitable<response> {
        ++handled;
        auto answer = text("");
        co_return answer;
    });
    auto const scenario = [&]() -> awaitable<void> {
        for (std::string const hosts : {"", "Host: localhost\r\nHost: evil.example\r\n"}) {
            auto const got = co_await talk(net.to, "POST / HTTP/1.1\r\n" + hosts + "Content-Length: 2\r\n\r\nab");
            CHECK(got.starts_with("HTTP/1.1 400"));
            CHECK(count(got, "one Host field") == 1);
            CHECK(count(got, "Connection: close") == 1);
        }
        CHECK(handled == 0);
    };
    net.run(scenario());
}

TEST_CASE("a body over the limit is answered 413, which its sender receives, and a body within the limit arrives whole")
{
    loopback net;
    net.listen([](request const& asked) -> awaitable<response> {
        auto answer = text(std::to_string(asked.body.size()));
        co_return answer;
    });
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const large = post("/", std::string(10'000'000, 'x'));
        auto const refused = co_await by->send(net.to, large, 20s);
        CHECK(refused.status == 413);
        CHECK(refused.body.find("the body is larger than 4 MiB, the most that this server reads; divide it") !=
              std::string::npos);
        auto const fits = post("/", std::string(4u << 20, 'x'));
        auto const taken = co_await by->send(net.to, fits, 20s);
        CHECK(taken.body == "4194304");
    };
    net.run(scenario());
}

TEST_CASE("a header over the limit is answered 431")
{
    loopback net;
    net.listen(echo);
    auto const scenario = [&]() -> awaitable<void> {
        auto const got =
            co_await talk(net.to, "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n");
        CHECK(got.starts_with("HTTP/1.1 431"));
    };
    net.run(scenario());
}

TEST_CASE("a request that arrives too slowly is answered 408, whether its header or its body is slow")
{
    loopback net;
    server_settings settings;
    settings.read_limit = 60ms;
    net.listen(echo, settings);
    auto const scenario = [&]() -> awaitable<void> {
        auto const header = co_await talk(net.to, "GET / HT");
        CHECK(header.starts_with("HTTP/1.1 408"));
        auto const body = co_await talk(net.to, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhal");
        CHECK(body.starts_with("HTTP/1.1 408"));
        auto const behind_another = co_await talk(net.to, "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b");
        CHECK(behind_another.starts_with("HTTP/1.1 200"));
        CHECK(count(behind_another, "HTTP/1.1 408") == 1);

        auto socket = co_await dial(net.to); // a byte every 10 ms does not extend the limit
        for (bool open = true; open;) {
            co_await net.time.sleep_for(10ms);
            error_code failed;
            auto const letter = asio::buffer("G", 1);
            co_await asio::async_write(socket, letter, asio::redirect_error(asio::use_awaitable, failed));
            open = !failed && socket.available() == 0;
        }
        auto const got = co_await read_all(socket);
        CHECK(got.starts_with("HTTP/1.1 40"));
    };
    net.run(scenario());
}

TEST_CASE("an idle connection is closed without an answer")
{
    loopback net;
    server_settings settings;
    settings.idle_limit = 30ms;
    net.listen(echo, settings);
    auto const scenario = [&]() -> awaitable<void> {
        auto const never_used = co_await talk(net.to, "");
        CHECK(never_used.empty());
        auto const used = co_await talk(net.to, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
        CHECK(count(used, "HTTP/1.1") == 1);
        CHECK(used.ends_with("/a "));
    };
    net.run(scenario());
}

TEST_CASE("a connection over the limit is answered 503, and the end of another connection makes room")
{
    loopback net;
    server_settings settings;
    settings.connection_limit = 1;
    net.listen(echo, settings);
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        {
            auto holder = co_await dial(net.to);
            co_await write_all(holder, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
            char first = 0;
            auto const space = asio::buffer(&first, 1);
            co_await holder.async_read_some(space, asio::use_awaitable);
            auto const asked = get("/");
            auto const refused = co_await by->send(net.to, asked, 5s);
            CHECK(refused.status == 503);
        }
        int status = 503;
        for (auto const until = net.time.now() + 5s; status == 503 && net.time.now() < until;) {
            auto const asked = get("/");
            auto const answer = co_await by->send(net.to, asked, 5s);
            status = answer.status;
        }
        CHECK(status == 200);
    };
    net.run(scenario());
}

TEST_CASE("an answer to HEAD has no body, and the kept connection stays usable")
{
    loopback net;
    net.listen(echo);
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const got = co_await talk(
            net.to, "HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\nGET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        CHECK(got == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                     "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\n/d ");
        auto asked = get("/abc");
        asked.method = verb::head;
        auto const head = co_await by->send(net.to, asked, 5s);
        CHECK(head.headers.find("Content-Length") == "5");
        CHECK(head.body.empty());
    };
    net.run(scenario());
}

TEST_CASE("a request with Expect: 100-continue gets the interim answer before its body is sent")
{
    loopback net;
    net.listen(echo);
    auto const scenario = [&]() -> awaitable<void> {
        auto socket = co_await dial(net.to);
        co_await write_all(
            socket,
            "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n");
        std::string interim;
        auto into = asio::dynamic_buffer(interim);
        co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
        CHECK(interim == "HTTP/1.1 100 Continue\r\n\r\n");
        co_await write_all(socket, "hi");
        auto const got = co_await read_all(socket);
        CHECK(got.ends_with("/a hi"));
    };
    net.run(scenario());
}

TEST_CASE("a handler that throws is answered 500, and the server goes on")
{
    loopback net;
    net.listen([](request const& asked) -> awaitable<response> {
        if (asked.target == "/bug")
            throw std::runtime_error("password=hunter2");
        co_return response{};
    });
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const bug = get("/bug");
        auto const failed = co_await by->send(net.to, bug, 5s);
        CHECK(failed.status == 500);
        CHECK(failed.body.find("hunter2") == std::string::npos);
        auto const fine = get("/fine");
        auto const answer = co_await by->send(net.to, fine, 5s);
        CHECK(answer.status == 200);
    };
    net.run(scenario());
}

TEST_CASE("the error for a port in use or an invalid address names it")
{
    loopback net;
    net.listen(echo);
    auto const scenario = [&]() -> awaitable<void> {
        server_settings taken;
        taken.port = net.to.port;
        CHECK_THROWS_WITH(make_server(net.io.get_executor(), net.time, taken, echo),
                          Catch::Contains("127.0.0.1") && Catch::Contains(std::to_string(net.to.port)));
        server_settings nowhere;
        nowhere.address = "localhost";
        CHECK_THROWS_AS(make_server(net.io.get_executor(), net.time, nowhere, echo), invalid_input);
        co_return;
    };
    net.run(scenario());
}

} // namespace server_test
