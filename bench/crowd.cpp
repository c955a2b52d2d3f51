// Many clients that register with one node and send heartbeats, each on its own connection:
//
//     bench_crowd URL --clients N [--period MS] [--ramp S]
//
// The registrations are spread evenly over the ramp. When all clients are registered it prints "ready". At SIGTERM it
// prints one line of JSON: the heartbeats since then, those not answered with 200, and the response times.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/revision.hpp"

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
    http::url node;
    std::string project = "default"; // of the clients
    int clients = 10'000;
    duration period = 5s;
    duration ramp = 20s;
    instant began{};

    int joined = 0;
    bool counting = false;
    std::int64_t failed = 0;
    std::vector<std::int64_t> answered_after; // microseconds
};

// Returns the answer; its status is 0 if there was none.
awaitable<http::response> ask(crowd& all, http::client& client, char const* path, nlohmann::json const& body)
{
    auto message = http::json_request(http::verb::post, path, body);
    http::response answer;
    answer.status = 0;
    try {
        answer = co_await client.send(all.node, std::move(message), answer_limit);
    } catch (unavailable const&) {
        // The status stays 0.
    }
    co_return answer;
}

// The ticket of the registration, once the node has taken it.
awaitable<std::string> join(crowd& all, http::client& client, nlohmann::json const& registration)
{
    for (;;) {
        auto const answer = co_await ask(all, client, protocol::path_register, registration);
        if (answer.status == 200)
            co_return nlohmann::json::parse(answer.body).get<protocol::heartbeat_answer>().ticket;
        co_await all.time.sleep_for(1s);
    }
}

awaitable<void> live(crowd& all, int number)
{
    http::client_settings settings;
    settings.connections_per_host = 1;
    settings.idle_limit = all.period * 4;
    auto const client = http::make_client(all.time, settings);
    protocol::register_request joining;
    joining.revision = protocol::wire_revision;
    joining.project = all.project;
    joining.service = "crowd";
    joining.instance = "crowd:" + std::to_string(number) + ":" + secret_hex(8);
    joining.address = "http://127.0.0.1:9";
    joining.secret = secret_hex(16);
    joining.handlers = {"noop"};
    joining.generation = 1;
    nlohmann::json const registration = joining;
    protocol::heartbeat_request beating;
    beating.instance = joining.instance;
    beating.generation = joining.generation;
    beating.free_slots = 1;

    co_await all.time.sleep_until(all.began + all.ramp * number / all.clients);
    beating.ticket = co_await join(all, *client, registration);
    nlohmann::json const heartbeat = beating;
    if (++all.joined == all.clients) {
        std::cout << "ready" << std::endl;
        all.counting = true;
    }
    auto next = all.time.now();
    for (;;) {
        next += all.period;
        co_await all.time.sleep_until(next);
        auto const sent = all.time.now();
        auto const answer = co_await ask(all, *client, protocol::path_heartbeat, heartbeat);
        if (!all.counting)
            continue;
        all.failed += answer.status != 200;
        all.answered_after.push_back((all.time.now() - sent).count());
    }
}

// A quantile in milliseconds.
double quantile(std::vector<std::int64_t> const& ordered, double share)
{
    return ordered.empty()
               ? 0
               : static_cast<double>(ordered[static_cast<std::size_t>(share * (ordered.size() - 1))]) / 1000;
}

void print_summary(crowd& all)
{
    std::sort(all.answered_after.begin(), all.answered_after.end());
    std::cout << nlohmann::json{{"clients", all.joined},
                                {"heartbeats", all.answered_after.size()},
                                {"failed", all.failed},
                                {"p50_ms", quantile(all.answered_after, 0.5)},
                                {"p99_ms", quantile(all.answered_after, 0.99)}}
              << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    crowd all;
    std::string url;
    int period_ms = 5'000;
    int ramp_s = 20;
    CLI::App program("Many clients that register with one node and send heartbeats");
    program.add_option("url", url, "URL of the node")->required();
    program.add_option("--clients", all.clients, "number of clients");
    program.add_option("--project", all.project, "project of their service");
    program.add_option("--period", period_ms, "milliseconds between two heartbeats of a client");
    program.add_option("--ramp", ramp_s, "seconds over which the registrations are spread");
    CLI11_PARSE(program, argc, argv);
    all.node = http::parse_url(url);
    all.period = std::chrono::milliseconds{period_ms};
    all.ramp = std::chrono::seconds{ramp_s};
    all.began = all.time.now();

    asio::io_context loop{1};
    for (int number = 0; number < all.clients; ++number)
        asio::co_spawn(loop, live(all, number), asio::detached);
    asio::signal_set signals(loop, SIGTERM, SIGINT);
    signals.async_wait([&](error_code, int) { loop.stop(); });
    loop.run();
    print_summary(all);
}
