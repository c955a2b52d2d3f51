#include "client-sdk/src/node_calls.hpp"
#include "libs/base/log.hpp"
#include "libs/base/random.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <utility>

namespace node_calls_test {

using namespace baton;
using namespace baton::client;

namespace {

struct no_network final : http::client {
    awaitable<http::response> send(http::url, http::request, duration) override { throw http::unreachable("", false); }
};

struct refusing_network final : http::client {
    awaitable<http::response> send(http::url, http::request, duration) override
    {
        http::response answer;
        answer.status = status;
        answer.body = body;
        co_return answer;
    }
    int status = 400;
    std::string body = "another release";
};

link_settings two_nodes()
{
    link_settings made;
    made.nodes = {http::parse_url("http://10.0.0.1:7800"), http::parse_url("http://10.0.0.2:7800")};
    return made;
}

struct stage {
    std::optional<std::size_t> name(int node, std::size_t home = 0)
    {
        return calls.find_or_add("http://node-" + std::to_string(node) + ":7800", home);
    }

    system_time time;
    seeded_random random{1};
    no_network http;
    node_calls calls{{time, random, http}, two_nodes()};
};

} // namespace

TEST_CASE("clients with the same list try its nodes in different orders, each of them all nodes", "[client]")
{
    link_settings list;
    for (int i = 0; i < 5; ++i)
        list.nodes.push_back(http::parse_url("http://node-" + std::to_string(i) + ":7800"));
    system_time time;
    seeded_random random{Catch::rngSeed()};
    no_network http;
    std::set<std::pair<std::string, std::string>> followed; // a node and the one that is tried after it
    for (int client = 0; client < 200; ++client) {
        node_calls calls{{time, random, http}, list};
        std::set<std::string> tried;
        auto node = calls.first();
        for (std::size_t i = 0; i < calls.count(); ++i, node = calls.after(node)) {
            tried.insert(calls.name(node));
            followed.emplace(calls.name(node), calls.name(calls.after(node)));
        }
        REQUIRE(tried.size() == 5);
    }
    CHECK(followed.size() == 20); // every pair of two nodes
}

TEST_CASE("a node that a home has named is added once, and the list keeps its places", "[client]")
{
    stage s;
    CHECK(s.name(1) == 2u);
    CHECK(s.name(1) == 2u);
    CHECK(s.calls.find_or_add("http://10.0.0.2:7800", 0) < 2u);
    CHECK_FALSE(s.calls.find_or_add("no address", 0));
    CHECK(s.calls.count() == 3);
}

TEST_CASE("beyond a thousand named nodes a new one takes the place of the oldest, but not that of the home", "[client]")
{
    stage s;
    for (int node = 0; node < 1'000; ++node)
        REQUIRE(s.name(node) == 2u + static_cast<std::size_t>(node));
    CHECK(s.name(1'000) == 2u);
    CHECK(s.name(1'001, 3) == 4u); // 3 is the home's
    CHECK(s.calls.name(2) == "http://node-1000:7800");
    CHECK(s.calls.name(3) == "http://node-1:7800");
    CHECK(s.calls.name(0) == "http://10.0.0.1:7800");
    CHECK(s.calls.count() == 1'002);
}

TEST_CASE("a refusal is logged once, and again when it changes or after an answer", "[client]")
{
    stage s;
    refusing_network http;
    node_calls calls{{s.time, s.random, http}, two_nodes()};
    std::vector<std::string> lines;
    auto const taken = log::take_over([&](log::level, std::string_view line) { lines.emplace_back(line); });
    asio::io_context loop;
    auto const ask = [&](std::size_t node, int times = 1) {
        for (int i = 0; i < times; ++i)
            asio::co_spawn(loop, calls.post(node, "/client/v1/register", "{}", 1s), asio::detached);
        loop.restart();
        loop.run();
        return lines.size();
    };
    CHECK(ask(0, 5) == 1);
    CHECK(lines.at(0).find("another release") != std::string::npos);
    CHECK(ask(1, 5) == 2); // the other node
    http.body = "another token";
    CHECK(ask(0, 5) == 3);
    http.status = 200;
    CHECK(ask(0) == 3);
    http.status = 400;
    CHECK(ask(0, 5) == 4);
}

} // namespace node_calls_test
