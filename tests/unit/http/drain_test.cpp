#include "tests/unit/http/loopback.hpp"

#include <boost/asio/steady_timer.hpp>

namespace drain_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;

namespace {

// A handler that records its start and waits until the test releases it or until it is cancelled.
struct gate {
    explicit gate(asio::io_context& io) : begun(io.get_executor()), go(io.get_executor()) {}

    awaitable<response> pass(request const&)
    {
        begun.wake();
        try {
            co_await go.wait();
        } catch (boost::system::system_error const&) {
            cancelled = true;
            throw;
        }
        auto answer = text("done");
        co_return answer;
    }

    waker begun;
    waker go;
    bool cancelled = false;
};

awaitable<void> send_into(client& by, url to, outcome& made, waker& ended)
{
    auto const asked = get("/");
    made = co_await try_send(by, to, asked, 20s);
    ended.wake();
}

} // namespace

TEST_CASE("a stopped server closes idle connections at once and lets the request in progress finish")
{
    loopback net;
    gate door(net.io);
    net.listen([&](request const& asked) { return door.pass(asked); }, {}, 20s);
    auto const by = make_client(net.time);
    waker ended(net.io.get_executor());
    outcome made;
    auto const scenario = [&]() -> awaitable<void> {
        auto idle = co_await dial(net.to);
        asio::co_spawn(net.io, send_into(*by, net.to, made, ended), asio::detached);
        co_await door.begun.wait();
        net.stop();
        auto const nothing = co_await read_all(idle); // ends because the connection was closed
        CHECK(nothing.empty());
        CHECK_FALSE(net.stopped);
        auto const late = get("/");
        auto const another = make_client(net.time);
        auto const refused = co_await try_send(*another, net.to, late, 5s);
        CHECK(refused.unreachable);
        CHECK_FALSE(refused.possibly_delivered);
        door.go.wake();
        co_await ended.wait();
        REQUIRE(made.answer);
        CHECK(made.answer->body == "done");
        CHECK(made.answer->headers.find("Connection") == "close");
    };
    net.run(scenario());
    CHECK_FALSE(door.cancelled);
}

TEST_CASE("a request that takes longer than the drain is cancelled, and its caller gets no answer")
{
    loopback net;
    gate door(net.io);
    net.listen([&](request const& asked) { return door.pass(asked); }, {}, 30ms);
    auto const by = make_client(net.time);
    waker ended(net.io.get_executor());
    outcome made;
    auto const scenario = [&]() -> awaitable<void> {
        asio::co_spawn(net.io, send_into(*by, net.to, made, ended), asio::detached);
        co_await door.begun.wait();
        net.stop();
        co_await ended.wait();
        CHECK(made.unreachable);
        CHECK(made.possibly_delivered);
    };
    net.run(scenario());
    CHECK(door.cancelled);
}

TEST_CASE("the caller of a cancelled server's run() still sees the cancellation after the drain")
{
    asio::io_context io;
    system_time time;
    auto const nothing = [](request const&) -> awaitable<response> { co_return response{}; };
    auto const it = make_server(io.get_executor(), time, {}, nothing);
    bool returned = false;
    bool aborted = false;
    auto const owner = [&]() -> awaitable<void> {
        co_await it->run(1s);
        returned = true;
        co_await time.sleep_for(1h);
    };
    asio::cancellation_signal stop;
    auto const ended = [&](std::exception_ptr failure) { aborted = failure != nullptr; };
    asio::co_spawn(io, owner(), asio::bind_cancellation_slot(stop.slot(), ended));
    io.poll();
    stop.emit(asio::cancellation_type::terminal);
    io.run_for(20s);
    CHECK(returned);
    CHECK(aborted);
}

TEST_CASE("a server with a router passes it requests that carry the sender's address")
{
    asio::io_context io;
    system_time time;
    router endpoints;
    endpoints.add(verb::post, "/peer/{x}", [](request const& asked) -> awaitable<response> {
        auto answer = text(asked.peer + " " + asked.params.at("x") + " " + asked.body);
        co_return answer;
    });
    auto const it = make_server(io.get_executor(), time, {}, endpoints);
    auto const by = make_client(time);
    response answer;
    auto const scenario = [&]() -> awaitable<void> {
        auto const to = parse_url("http://127.0.0.1:" + std::to_string(it->port()));
        auto const asked = post("/peer/a%20b", "body");
        answer = co_await by->send(to, asked, 5s);
    };
    using namespace asio::experimental::awaitable_operators;
    bool done = false;
    asio::co_spawn(io, scenario() || it->run(1s), [&](std::exception_ptr, auto const&) { done = true; });
    io.run_for(20s);
    REQUIRE(done);
    CHECK(answer.body.starts_with("127.0.0.1:"));
    CHECK(answer.body.ends_with(" a b body"));
}

} // namespace drain_test
