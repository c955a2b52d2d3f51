// Many clients that join one node and beat, each on a connection of its own, and do nothing else:
//
//     bench_crowd URL --clients N [--period MS] [--ramp S]
//
// They join evenly over the ramp. Then it prints "ready", and at SIGTERM one line of JSON: heartbeats since then, those
// that were not answered with 200, and how long the answers took.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <vector>

using namespace baton;

namespace {

constexpr duration answer_limit = 10s;

struct crowd {
    system_time time;
    http::url to;
    int clients = 10'000;
    duration period = 5s;
    duration ramp = 20s;
    instant began{};

    int joined = 0;
    bool counting = false;
    std::int64_t failed = 0;
    std::vector<std::int64_t> answered_after; // microseconds
};

// Its answer's status, 0 for none.
awaitable<int> ask(crowd& all, http::client& by, char const* path, nlohmann::json const& body)
{
    auto message = http::json_request(http::verb::post, path, body);
    int status = 0;
    try {
        auto const answer = co_await by.send(all.to, std::move(message), answer_limit);
        status = answer.status;
    } catch (unavailable const&) {
        // 0
    }
    co_return status;
}

awaitable<void> live(crowd& all, int number)
{
    http::client_settings settings;
    settings.connections_per_host = 1;
    settings.idle_limit = all.period * 4;
    auto const by = http::make_client(all.time, settings);
    protocol::register_request joining;
    joining.service = "crowd";
    joining.instance = "crowd:" + std::to_string(number) + ":" + secret_hex(8);
    joining.address = "http://127.0.0.1:9";
    joining.secret = secret_hex(16);
    joining.handlers = {"noop"};
    nlohmann::json const registration = joining;
    protocol::heartbeat_request beating;
    beating.instance = joining.instance;
    beating.free_slots = 1;
    nlohmann::json const heartbeat = beating;

    co_await all.time.sleep_until(all.began + all.ramp * number / all.clients);
    for (;;) {
        auto const status = co_await ask(all, *by, protocol::path_register, registration);
        if (status == 200)
            break;
        co_await all.time.sleep_for(1s);
    }
    if (++all.joined == all.clients) {
        std::cout << "ready" << std::endl;
        all.counting = true;
    }
    auto next = all.time.now();
    for (;;) {
        next += all.period;
        co_await all.time.sleep_until(next);
        auto const sent = all.time.now();
        auto const status = co_await ask(all, *by, protocol::path_heartbeat, heartbeat);
        if (!all.counting)
            continue;
        all.failed += status != 200;
        all.answered_after.push_back((all.time.now() - sent).count());
    }
}

double share(std::vector<std::int64_t> const& ordered, double of)
{
    return ordered.empty() ? 0
                           : static_cast<double>(ordered[static_cast<std::size_t>(of * (ordered.size() - 1))]) / 1000;
}

void tell(crowd& all)
{
    std::sort(all.answered_after.begin(), all.answered_after.end());
    std::cout << nlohmann::json{{"clients", all.joined},
                                {"heartbeats", all.answered_after.size()},
                                {"failed", all.failed},
                                {"p50_ms", share(all.answered_after, 0.5)},
                                {"p99_ms", share(all.answered_after, 0.99)}}
              << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    crowd all;
    std::string to;
    int period_ms = 5'000;
    int ramp_s = 20;
    CLI::App program("Many clients that join one node and beat");
    program.add_option("url", to, "of the node")->required();
    program.add_option("--clients", all.clients, "how many");
    program.add_option("--period", period_ms, "milliseconds from one heartbeat to the next");
    program.add_option("--ramp", ramp_s, "seconds in which they join");
    CLI11_PARSE(program, argc, argv);
    all.to = http::parse_url(to);
    all.period = std::chrono::milliseconds{period_ms};
    all.ramp = std::chrono::seconds{ramp_s};
    all.began = all.time.now();

    asio::io_context loop{1};
    for (int number = 0; number < all.clients; ++number)
        asio::co_spawn(loop, live(all, number), asio::detached);
    asio::signal_set signals(loop, SIGTERM, SIGINT);
    signals.async_wait([&](error_code, int) { loop.stop(); });
    loop.run();
    tell(all);
}
