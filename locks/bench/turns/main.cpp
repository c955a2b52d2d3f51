// One trial of baton's locks for the comparison with other libraries that locks/bench/peers/run makes:
// bench_lock_turns --server URL --product NAME --load NAME. Prints one JSON object.

#include "locks/bench/turns/loads.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>

namespace {

namespace bench = baton::bench;
using bench::loads;

struct options {
    std::string server, product, load;
    int contenders = 1;
    double seconds = 3, warm_up = 3;
    int hand_overs = 200;
};

// The value that this share of the times does not exceed.
double quantile(loads::times const& ascending, double share)
{
    auto const rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(ascending.size())));
    return static_cast<double>(ascending.at(std::max<std::size_t>(rank, 1) - 1).count());
}

nlohmann::json in_unit(loads::times const& ascending, double nanoseconds)
{
    return {{"p50", quantile(ascending, 0.5) / nanoseconds},
            {"p99", quantile(ascending, 0.99) / nanoseconds},
            {"count", ascending.size()}};
}

nlohmann::json measure(options const& settings)
{
    std::vector<std::unique_ptr<bench::contender>> all;
    for (int i = 0; i < settings.contenders; ++i)
        all.push_back(bench::make_contender(settings.server, settings.product));
    loads trial(std::move(all));
    loads::span const warm_up(settings.warm_up);
    loads::span const seconds(settings.seconds);
    nlohmann::json figures;
    if (settings.load == "free") {
        trial.pairs(warm_up);
        figures["pair_us"] = in_unit(trial.pairs(seconds), 1e3);
    } else if (settings.load == "turns") {
        trial.turns(warm_up);
        auto const grants = trial.turns(seconds);
        figures["grants_per_s"] = std::accumulate(grants.begin(), grants.end(), 0) / settings.seconds;
        figures["fewest"] = *std::min_element(grants.begin(), grants.end());
        figures["most"] = *std::max_element(grants.begin(), grants.end());
    } else {
        trial.turns(warm_up);
        figures["hand_over_ms"] = in_unit(trial.hand_overs(settings.hand_overs), 1e6);
    }
    figures["overlaps"] = trial.overlaps();
    return figures;
}

} // namespace

int main(int argc, char** argv)
{
    options settings;
    CLI::App program("One trial of baton's locks");
    program.add_option("--server", settings.server, "redis://host:port or zookeeper://host:port")->required();
    program
        .add_option("--product", settings.product,
                    "baton; bare: the two commands that every lock needs; scripts: the commands that baton sends")
        ->required();
    program.add_option("--load", settings.load)->required()->check(CLI::IsMember({"free", "turns", "handover"}));
    program.add_option("--contenders", settings.contenders, "each with a thread and a store of its own")
        ->check(CLI::PositiveNumber);
    program.add_option("--seconds", settings.seconds, "of the loads free and turns");
    program.add_option("--warm-up", settings.warm_up, "seconds before the measurement, of the same loads");
    program.add_option("--hand-overs", settings.hand_overs, "of the load handover")->check(CLI::PositiveNumber);
    CLI11_PARSE(program, argc, argv);
    try {
        std::cout << measure(settings) << std::endl;
    } catch (std::exception const& failure) {
        std::cerr << "bench_lock_turns: " << failure.what() << '\n';
        return 1;
    }
}
