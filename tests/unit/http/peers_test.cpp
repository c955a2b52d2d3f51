#include "libs/http/peers.hpp"
#include "tests/unit/http/loopback.hpp"

#include <arpa/inet.h>
#include <cstring>
#include <ifaddrs.h>
#include <net/if.h>

namespace peers_test {

using namespace baton;
using namespace baton::http;
using namespace baton::http::test;
using boost::asio::ip::make_address;

namespace {

// An IPv4 address of this host that is not loopback; empty if it has none.
std::string own_address()
{
    ifaddrs* all = nullptr;
    if (getifaddrs(&all) != 0)
        return {};
    std::string found;
    for (auto const* each = all; each != nullptr; each = each->ifa_next) {
        bool const usable = each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
                            (each->ifa_flags & IFF_LOOPBACK) == 0 && (each->ifa_flags & IFF_UP) != 0;
        char text[INET_ADDRSTRLEN] = {};
        sockaddr_in address{};
        if (usable) {
            std::memcpy(&address, each->ifa_addr, sizeof address);
            inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
            found = text;
        }
    }
    freeifaddrs(all);
    return found;
}

} // namespace

TEST_CASE("an address has at most so many connections, and may have another when one has ended")
{
    peers some(2);
    auto const a = make_address("10.0.0.7");
    CHECK(some.enter(a));
    CHECK(some.enter(a));
    CHECK_FALSE(some.enter(a));
    CHECK(some.enter(make_address("10.0.0.8")));
    some.leave(a);
    CHECK(some.enter(a));
    CHECK_FALSE(some.enter(a));
}

TEST_CASE("an IPv6 network of 64 bits counts as one, and an IPv4 address as itself in either form")
{
    peers some(1);
    CHECK(some.enter(make_address("2001:db8:1:2::1")));
    CHECK_FALSE(some.enter(make_address("2001:db8:1:2:ffff::9")));
    CHECK(some.enter(make_address("2001:db8:1:3::1")));
    CHECK(some.enter(make_address("::ffff:10.0.0.1")));
    CHECK_FALSE(some.enter(make_address("10.0.0.1")));
    CHECK(some.enter(make_address("::ffff:10.0.0.2")));
}

TEST_CASE("loopback has no limit and takes no memory")
{
    peers some(1);
    for (auto const* text : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
        for (int i = 0; i < 3; ++i)
            CHECK(some.enter(make_address(text)));
    CHECK(some.size() == 0);
    some.leave(make_address("::1"));
    CHECK(some.size() == 0);
}

TEST_CASE("the first refusal of an address is told once, until all of its connections have ended")
{
    peers some(1);
    auto const a = make_address("10.0.0.7");
    REQUIRE(some.enter(a));
    REQUIRE_FALSE(some.enter(a));
    CHECK(some.first_refusal(a));
    CHECK_FALSE(some.first_refusal(a));
    some.leave(a);
    CHECK(some.size() == 0);
    REQUIRE(some.enter(a));
    CHECK(some.first_refusal(a));
}

TEST_CASE("a listener answers 503 to a connection too many of one address, and serves the others")
{
    auto const address = own_address();
    if (address.empty())
        return;
    loopback net;
    server_settings settings;
    settings.address = "0.0.0.0";
    settings.peer_limit = 2;
    net.listen(
        [](request const&) -> awaitable<response> {
            auto answer = text("ok");
            co_return answer;
        },
        settings);
    auto outside = net.to;
    outside.host = address;
    std::string const ask = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    auto const scenario = [&]() -> awaitable<void> {
        auto first = co_await dial(outside);
        auto second = co_await dial(outside);
        auto const third = co_await talk(outside, ask);
        CHECK(third.starts_with("HTTP/1.1 503 "));
        CHECK(third.find("one address") != std::string::npos);
        auto const local = co_await talk(net.to, ask);
        CHECK(local.starts_with("HTTP/1.1 200 "));
        co_await write_all(first, ask);
        auto const answered = co_await read_all(first);
        CHECK(answered.starts_with("HTTP/1.1 200 "));
        first.close();
        std::string again;
        while (!again.starts_with("HTTP/1.1 200 ")) { // the listener sees the end a moment later
            auto const got = co_await talk(outside, ask);
            again = got;
        }
        second.close();
    };
    net.run(scenario());
}

} // namespace peers_test
