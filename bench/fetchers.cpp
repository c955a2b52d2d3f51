// A crowd of real clients that fetch their executions, each with connections of its own:
//
//     bench_fetchers --clients N [--service NAME] [--journal FILE] [--period MS] [--ramp S] [--takes MS] NODE...
//
// Five times a second it prints one line of JSON: how many clients have a home, and what has happened since the start.

#include "bench/member.hpp"
#include "libs/base/process.hpp"

#include <CLI/CLI.hpp>
#include <boost/asio/signal_set.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fcntl.h>
#include <iostream>

using namespace baton;

namespace {

// A quantile in milliseconds.
double quantile(std::vector<std::int64_t> const& ordered, double share)
{
    return ordered.empty() ? 0 : double(ordered[static_cast<std::size_t>(share * double(ordered.size() - 1))]) / 1000;
}

void print_counts(bench::crowd& all)
{
    auto& times = all.answered_after;
    std::sort(times.begin(), times.end());
    std::cout << nlohmann::json{{"at", to_micros(all.time.utc())},
                                {"homes", all.homes},
                                {"joins", all.joins},
                                {"busy", all.busy},
                                {"silent", all.silent},
                                {"lost", all.lost},
                                {"renamed", all.renamed},
                                {"beats", all.beats},
                                {"fetches", all.fetches},
                                {"runs", all.runs},
                                {"p99_ms", quantile(times, 0.99)},
                                {"max_ms", quantile(times, 1)}}
              << std::endl;
    times.clear();
}

awaitable<void> print_often(bench::crowd& all)
{
    for (;;) {
        co_await all.time.sleep_for(200ms);
        print_counts(all);
    }
}

} // namespace

int main(int argc, char** argv)
{
    bench::crowd all;
    std::vector<std::string> nodes;
    std::string journal;
    std::int64_t period_ms = 5'000, ramp_s = 0, takes_ms = 200;
    CLI::App program("A crowd of real clients that fetch their executions");
    program.add_option("nodes", nodes, "URLs of the nodes")->required();
    program.add_option("--clients", all.clients, "number of clients");
    program.add_option("--service", all.service, "their service");
    program.add_option("--journal", journal, "a file for the starts and ends of executions");
    program.add_option("--period", period_ms, "milliseconds between two heartbeats of a client");
    program.add_option("--ramp", ramp_s, "seconds over which the registrations are spread");
    program.add_option("--takes", takes_ms, "milliseconds that an execution takes");
    CLI11_PARSE(program, argc, argv);
    raise_file_limit();
    for (auto const& node : nodes)
        all.nodes.push_back(http::parse_url(node));
    all.period = std::chrono::milliseconds{period_ms};
    all.ramp = std::chrono::seconds{ramp_s};
    all.takes = std::chrono::milliseconds{takes_ms};
    if (!journal.empty())
        all.journal = open(journal.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    all.began = all.time.now();

    asio::io_context loop{1};
    std::vector<std::unique_ptr<bench::member>> members;
    for (int number = 0; number < all.clients; ++number) {
        members.push_back(std::make_unique<bench::member>(all, loop.get_executor(), number));
        asio::co_spawn(loop, members.back()->live(), asio::detached);
        asio::co_spawn(loop, members.back()->fetch(), asio::detached);
    }
    asio::co_spawn(loop, print_often(all), asio::detached);
    asio::signal_set signals(loop, SIGTERM, SIGINT);
    signals.async_wait([&](error_code, int) { loop.stop(); });
    loop.run();
    print_counts(all);
    std::_Exit(0); // coroutines still refer to the clients
}
