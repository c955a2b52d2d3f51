// One trial of baton's locks beside others, whose trials locks/bench/peers runs: lock_turns --server URL --product NAME
// --load NAME. Prints one JSON object.

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

// The value that this share of all does not exceed.
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

nlohmann::json measure(options const& how)
{
    std::vector<std::unique_ptr<bench::contender>> all;
    for (int i = 0; i < how.contenders; ++i)
        all.push_back(bench::make_contender(how.server, how.product));
    loads by(std::move(all));
    loads::span const warm_up(how.warm_up);
    loads::span const seconds(how.seconds);
    nlohmann::json figures;
    if (how.load == "free") {
        by.pairs(warm_up);
        figures["pair_us"] = in_unit(by.pairs(seconds), 1e3);
    } else if (how.load == "turns") {
        by.turns(warm_up);
        auto const grants = by.turns(seconds);
        figures["grants_per_s"] = std::accumulate(grants.begin(), grants.end(), 0) / how.seconds;
        figures["fewest"] = *std::min_element(grants.begin(), grants.end());
        figures["most"] = *std::max_element(grants.begin(), grants.end());
    } else {
        by.turns(warm_up);
        figures["hand_over_ms"] = in_unit(by.hand_overs(how.hand_overs), 1e6);
    }
    figures["overlaps"] = by.overlaps();
    return figures;
}

} // namespace

int main(int argc, char** argv)
{
    options how;
    CLI::App program("One trial of baton's locks");
    program.add_option("--server", how.server, "redis://host:port or zookeeper://host:port")->required();
    program
        .add_option("--product", how.product,
                    "baton; bare: two commands by hand; or scripts: those that baton sends, by hand")
        ->required();
    program.add_option("--load", how.load)->required()->check(CLI::IsMember({"free", "turns", "handover"}));
    program.add_option("--contenders", how.contenders, "each with a thread and a store of its own")
        ->check(CLI::PositiveNumber);
    program.add_option("--seconds", how.seconds, "of the loads free and turns");
    program.add_option("--warm-up", how.warm_up, "seconds before, of the same");
    program.add_option("--hand-overs", how.hand_overs, "of the load handover")->check(CLI::PositiveNumber);
    CLI11_PARSE(program, argc, argv);
    try {
        std::cout << measure(how) << std::endl;
    } catch (std::exception const& failure) {
        std::cerr << "bench_lock_turns: " << failure.what() << '\n';
        return 1;
    }
}
