#include "libs/http/connect_race.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <sys/socket.h>

namespace connect_race_test {

using namespace baton;
using namespace baton::http;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

asio::ip::address address(char const* text)
{
    return asio::ip::make_address(text);
}

struct fixture {
    asio::io_context io;
    tcp::acceptor alive{io, tcp::endpoint(address("127.0.0.1"), 0)};
    std::uint16_t port = alive.local_endpoint().port();
    tcp::acceptor deaf{io};
    std::list<tcp::socket> waiting;
    std::chrono::steady_clock::duration took{};

    tcp::endpoint at(char const* which) const { return {address(which), port}; }

    // Connections to 127.0.0.2 get no answer: the queue of its listener is full.
    void make_deaf()
    {
        deaf.open(tcp::v4());
        deaf.bind(at("127.0.0.2"));
        deaf.listen(0);
        for (int i = 0; i < 3; ++i) {
            waiting.emplace_back(io, tcp::v4());
            waiting.back().native_non_blocking(true);
            auto const to = at("127.0.0.2");
            ::connect(waiting.back().native_handle(), to.data(), static_cast<socklen_t>(to.size()));
        }
    }

    error_code connect(std::vector<tcp::endpoint> to, tcp::socket& into,
                       std::function<void(connect_race&)> meanwhile = {})
    {
        error_code outcome;
        auto const race = std::make_shared<connect_race>(io.get_executor(), std::move(to));
        auto scene = [&]() -> awaitable<void> { outcome = co_await race->connect(into); };
        auto const began = std::chrono::steady_clock::now();
        asio::co_spawn(io, scene(), asio::detached);
        if (meanwhile)
            asio::post(io, [&] { meanwhile(*race); });
        io.restart();
        io.run_for(10s);
        took = std::chrono::steady_clock::now() - began;
        return outcome;
    }
};

} // namespace

TEST_CASE("an address that does not answer delays a connection to the next one by a quarter of a second")
{
    fixture f;
    f.make_deaf();
    tcp::socket made(f.io);
    REQUIRE_FALSE(f.connect({f.at("127.0.0.2"), f.at("127.0.0.1")}, made));
    CHECK(made.remote_endpoint() == f.at("127.0.0.1"));
    CHECK(f.took >= 240ms);
    CHECK(f.took < 3s);
}

TEST_CASE("the next address is tried at once when one refuses, and the last refusal is told")
{
    fixture f;
    tcp::socket made(f.io);
    REQUIRE_FALSE(f.connect({f.at("127.0.0.3"), f.at("127.0.0.4"), f.at("127.0.0.1")}, made));
    CHECK(f.took < 240ms);
    CHECK(f.connect({f.at("127.0.0.3"), f.at("127.0.0.4")}, made) == asio::error::connection_refused);
}

TEST_CASE("a race that is stopped ends at once")
{
    fixture f;
    f.make_deaf();
    tcp::socket made(f.io);
    auto const outcome =
        f.connect({f.at("127.0.0.2"), f.at("127.0.0.2")}, made, [](connect_race& race) { race.stop(); });
    CHECK(outcome == asio::error::operation_aborted);
    CHECK(f.took < 240ms);
}

TEST_CASE("addresses of the two families take turns, and the first one stays first")
{
    std::vector<tcp::endpoint> all;
    for (auto const* text : {"::1", "::2", "::3", "1.1.1.1", "2.2.2.2"})
        all.emplace_back(address(text), 80);
    std::vector<std::string> order;
    for (auto const& one : interleaved(all))
        order.push_back(one.address().to_string());
    CHECK(order == std::vector<std::string>{"::1", "1.1.1.1", "::2", "2.2.2.2", "::3"});
}

} // namespace connect_race_test
