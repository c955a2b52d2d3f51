#include "tests/unit/http/loopback.hpp"

#include <set>

namespace client_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;

namespace {

awaitable<response> peer(request const& asked)
{
    auto answer = text(asked.peer);
    co_return answer;
}

awaitable<response> never(request const&)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await timer.async_wait(asio::use_awaitable);
    co_return response{};
}

// A port without a listener: it was free a moment ago.
url nowhere(asio::io_context& io)
{
    tcp::acceptor free(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    return parse_url("http://127.0.0.1:" + std::to_string(free.local_endpoint().port()));
}

} // namespace

TEST_CASE("the client reuses a kept-alive connection")
{
    loopback net;
    net.listen(peer);
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const first = co_await by->send(net.to, asked, 5s);
        auto const second = co_await by->send(net.to, asked, 5s);
        CHECK(first.body == second.body);
    };
    net.run(scenario());
}

TEST_CASE("the client does not reuse a connection that was idle for longer than the idle limit")
{
    loopback net;
    net.listen(peer);
    client_settings settings;
    settings.idle_limit = 20ms;
    auto const by = make_client(net.time, settings);
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const first = co_await by->send(net.to, asked, 5s);
        co_await net.time.sleep_for(25ms);
        auto const second = co_await by->send(net.to, asked, 5s);
        CHECK(first.body != second.body);
    };
    net.run(scenario());
}

TEST_CASE(
    "the client replaces a kept-alive connection that the server has closed, and repeats the request on a new one")
{
    loopback net;
    tcp::acceptor acceptor(net.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    net.to = parse_url("http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    auto const by = make_client(net.time);
    bool const at_once = GENERATE(true, false); // closed before the second request, or only when it has been read
    std::string const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    int served = 0;
    auto const other_side = [&]() -> awaitable<void> {
        for (int connection = 0; connection < 2; ++connection) {
            auto socket = co_await acceptor.async_accept(asio::use_awaitable);
            std::string seen;
            auto into = asio::dynamic_buffer(seen);
            co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
            co_await write_all(socket, answer);
            ++served;
            if (connection == 0 && !at_once) {
                seen.clear();
                co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
            }
        }
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const first = co_await by->send(net.to, asked, 5s);
        auto const second = co_await by->send(net.to, asked, 5s);
        CHECK(first.status == 200);
        CHECK(second.status == 200);
    };
    asio::co_spawn(net.io, other_side(), asio::detached);
    net.run(scenario());
    CHECK(served == 2);
}

TEST_CASE("a request that is to be sent once fails with a kept connection, and the next one uses a new connection")
{
    loopback net;
    tcp::acceptor acceptor(net.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    net.to = parse_url("http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    auto const by = make_client(net.time);
    int requests = 0;
    auto const other_side = [&]() -> awaitable<void> {
        for (int connection = 0; connection < 3; ++connection) {
            auto socket = co_await acceptor.async_accept(asio::use_awaitable);
            std::string seen;
            auto into = asio::dynamic_buffer(seen);
            co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
            ++requests;
            co_await write_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            if (connection != 0)
                continue;
            seen.clear();
            co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
            ++requests; // and closes
        }
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto asked = post("/", "");
        asked.once = true;
        auto const first = co_await try_send(*by, net.to, asked, 5s);
        CHECK(first.answer);
        auto const second = co_await try_send(*by, net.to, asked, 5s);
        CHECK(second.unreachable);
        CHECK(second.possibly_delivered);
        CHECK(requests == 2);
        for (int i = 0; i < 2; ++i) {
            auto const next = co_await try_send(*by, net.to, asked, 5s);
            CHECK(next.answer);
        }
        CHECK(requests == 4);
    };
    asio::co_spawn(net.io, other_side(), asio::detached);
    net.run(scenario());
}

TEST_CASE("a refused connection and an unknown host name are reported as not delivered")
{
    loopback net;
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const to = nowhere(net.io);
        auto const refused = co_await try_send(*by, to, asked, 5s);
        CHECK(refused.unreachable);
        CHECK_FALSE(refused.possibly_delivered);
        CHECK(refused.why.find(to.text()) != std::string::npos);
        auto const no_name = parse_url("http://no-such-host.invalid:1");
        auto const unknown = co_await try_send(*by, no_name, asked, 5s);
        CHECK(unknown.unreachable);
        CHECK_FALSE(unknown.possibly_delivered);
    };
    net.run(scenario());
}

TEST_CASE("the client resolves host names")
{
    loopback net;
    net.listen(peer);
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto to = net.to;
        to.host = "localhost";
        auto const asked = get("/");
        auto const got = co_await try_send(*by, to, asked, 5s);
        REQUIRE(got.answer);
        CHECK(got.answer->body.starts_with("127.0.0.1:"));
    };
    net.run(scenario());
}

TEST_CASE("a request without an answer fails at its limit and is reported as possibly delivered")
{
    loopback net;
    net.listen(never, {}, 0s);
    auto const by = make_client(net.time);
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const begin = net.time.now();
        auto const got = co_await try_send(*by, net.to, asked, 50ms);
        auto const spent = net.time.now() - begin;
        CHECK(got.unreachable);
        CHECK(got.possibly_delivered);
        CHECK(spent >= 50ms);
        CHECK(spent < 5s);
    };
    net.run(scenario());
}

TEST_CASE("an answer that is incomplete, not HTTP or too large fails as unreachable")
{
    auto const bytes =
        GENERATE(as<std::string>{}, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "SSH-2.0-OpenSSH\r\n",
                 "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", "HTTP/1.1 200");
    loopback net;
    tcp::acceptor acceptor(net.io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    net.to = parse_url("http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()));
    client_settings settings;
    settings.body_limit = 1'000;
    auto const by = make_client(net.time, settings);
    auto const other_side = [&]() -> awaitable<void> {
        auto socket = co_await acceptor.async_accept(asio::use_awaitable);
        std::string seen;
        auto into = asio::dynamic_buffer(seen);
        co_await asio::async_read_until(socket, into, "\r\n\r\n", asio::use_awaitable);
        co_await write_all(socket, bytes);
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const got = co_await try_send(*by, net.to, asked, 5s);
        CHECK(got.unreachable);
        CHECK(got.possibly_delivered);
    };
    asio::co_spawn(net.io, other_side(), asio::detached);
    net.run(scenario());
}

TEST_CASE("the limit of a request includes the wait for a free connection, and a request that fails leaves the queue")
{
    loopback net;
    net.listen([&](request const& asked) { return asked.target == "/never" ? never(asked) : peer(asked); }, {}, 0s);
    client_settings settings;
    settings.connections_per_host = 1;
    auto const by = make_client(net.time, settings);
    outcome blocked;
    auto const blocker = [&]() -> awaitable<void> {
        auto const asked = get("/never");
        blocked = co_await try_send(*by, net.to, asked, 150ms);
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const impatient = co_await try_send(*by, net.to, asked, 30ms);
        CHECK(impatient.unreachable);
        CHECK_FALSE(impatient.possibly_delivered);
        auto const patient = co_await try_send(*by, net.to, asked, 5s);
        CHECK(patient.answer);
        CHECK(blocked.possibly_delivered);
    };
    asio::co_spawn(net.io, blocker(), asio::detached);
    net.run(scenario());
}

TEST_CASE("requests of one owner do not wait for a connection that another owner has to the same host")
{
    loopback net;
    net.listen([&](request const& asked) { return asked.target == "/never" ? never(asked) : peer(asked); }, {}, 0s);
    client_settings settings;
    settings.connections_per_host = 1;
    auto const by = make_client(net.time, settings);
    outcome blocked;
    auto const blocker = [&]() -> awaitable<void> {
        auto asked = get("/never");
        asked.owner = "mute";
        blocked = co_await try_send(*by, net.to, asked, 20s);
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto asked = get("/");
        asked.owner = "healthy";
        auto const got = co_await try_send(*by, net.to, asked, 5s);
        CHECK(got.answer);
        CHECK_FALSE(blocked.answer);
    };
    asio::co_spawn(net.io, blocker(), asio::detached);
    net.run(scenario());
}

TEST_CASE("cancelling a request ends it with operation_aborted at once and closes its connection for the next request")
{
    loopback net;
    net.listen([&](request const& asked) { return asked.target == "/never" ? never(asked) : peer(asked); }, {}, 0s);
    client_settings settings;
    settings.connections_per_host = 1;
    auto const by = make_client(net.time, settings);
    outcome cut;
    bool aborted = false;
    asio::cancellation_signal stop;
    auto const asked = get("/never");
    auto const scenario = [&]() -> awaitable<void> {
        auto const ended = [&](std::exception_ptr failure, response const&) {
            try {
                std::rethrow_exception(failure);
            } catch (boost::system::system_error const& error) {
                aborted = error.code() == asio::error::operation_aborted;
            }
        };
        asio::co_spawn(net.io, by->send(net.to, asked, 20s), asio::bind_cancellation_slot(stop.slot(), ended));
        co_await net.time.sleep_for(20ms);
        stop.emit(asio::cancellation_type::terminal);
        auto const next = get("/");
        auto const got = co_await try_send(*by, net.to, next, 5s);
        CHECK(aborted);
        CHECK(got.answer);

        using namespace asio::experimental::awaitable_operators;
        auto const begin = net.time.now();
        auto const first = co_await (by->send(net.to, asked, 20s) || net.time.sleep_for(20ms));
        CHECK(first.index() == 1);
        CHECK(net.time.now() - begin < 5s);
    };
    net.run(scenario());
}

TEST_CASE("200 concurrent requests share 8 connections, and each gets its answer")
{
    loopback net;
    std::size_t at_once = 0;
    std::size_t most = 0;
    std::set<std::string> peers;
    net.listen([&](request const& asked) -> awaitable<response> {
        peers.insert(asked.peer);
        most = std::max(most, ++at_once);
        do
            co_await net.time.sleep_for(1ms);
        while (most < 8); // on a slow machine the first one would be answered before the eighth came
        --at_once;
        auto answer = text(asked.target);
        co_return answer;
    });
    auto const by = make_client(net.time);
    waker all_done(net.io.get_executor());
    int answered = 0;
    auto const one = [&](int i) -> awaitable<void> {
        auto const asked = get("/" + std::to_string(i));
        auto const got = co_await try_send(*by, net.to, asked, 20s);
        if (got.answer && got.answer->body == asked.target && ++answered == 200)
            all_done.wake();
    };
    auto const scenario = [&]() -> awaitable<void> {
        for (int i = 0; i < 200; ++i)
            asio::co_spawn(net.io, one(i), asio::detached);
        co_await all_done.wait_until(net.time, net.time.now() + 20s);
    };
    net.run(scenario());
    CHECK(answered == 200);
    CHECK(peers.size() == 8);
    CHECK(most == 8);
}

TEST_CASE("at the limit of connections an idle one makes room, and without an idle one a request fails at once")
{
    loopback net;
    net.listen([&](request const& asked) { return asked.target == "/never" ? never(asked) : peer(asked); }, {}, 0s);
    auto other = make_server(net.io.get_executor(), net.time, {}, handler(peer));
    asio::cancellation_signal stop_other;
    asio::co_spawn(net.io, other->run(0s), asio::bind_cancellation_slot(stop_other.slot(), [](std::exception_ptr) {}));
    auto const there = parse_url("http://127.0.0.1:" + std::to_string(other->port()));
    client_settings settings;
    settings.connection_limit = 1;
    auto const by = make_client(net.time, settings);
    outcome blocked;
    auto const blocker = [&]() -> awaitable<void> {
        auto const asked = get("/never");
        blocked = co_await try_send(*by, net.to, asked, 100ms);
    };
    auto const scenario = [&]() -> awaitable<void> {
        auto const asked = get("/");
        auto const first = co_await try_send(*by, net.to, asked, 5s);
        auto const second = co_await try_send(*by, there, asked, 5s); // in place of the idle connection
        CHECK(first.answer);
        CHECK(second.answer);
        asio::co_spawn(net.io, blocker(), asio::detached);
        co_await net.time.sleep_for(20ms);
        auto const refused = co_await try_send(*by, there, asked, 5s);
        CHECK(refused.unreachable);
        CHECK_FALSE(refused.possibly_delivered);
        CHECK(refused.why.find("all 1 connections are in use") != std::string::npos);
        co_await net.time.sleep_for(120ms);
        auto const third = co_await try_send(*by, there, asked, 5s);
        CHECK(third.answer);
        stop_other.emit(asio::cancellation_type::terminal);
    };
    net.run(scenario());
}

} // namespace client_test
