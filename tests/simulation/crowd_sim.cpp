// A cluster with many clients: a tenth of its nodes and clients end in one second. By default 10 nodes and 2,000
// clients for a minute of virtual time; BATON_CROWD="nodes clients seconds" plays another size (100 nodes, 100,000
// clients and 600 s take hours and 8 GiB).

#include "libs/base/process.hpp"
#include "tests/simulation/cluster_verdict.hpp"

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <numeric>
#include <sstream>

using namespace baton;
using namespace baton::simulation;

namespace {

struct size {
    std::size_t nodes = 10;
    std::size_t clients = 2'000;
    int seconds = 60;
};

size chosen_size()
{
    size chosen;
    if (char const* const given = std::getenv("BATON_CROWD"); given != nullptr)
        std::istringstream(given) >> chosen.nodes >> chosen.clients >> chosen.seconds;
    return chosen;
}

// Requests by path, and the statements of the database, since the last look.
class traffic {
public:
    explicit traffic(cluster_world& world) : world_(world)
    {
        world.stage().net.on_request = [this](http::url const&, http::request const& message) {
            ++requests_[message.target];
        };
    }
    ~traffic() { world_.stage().net.on_request = {}; }

    std::uint64_t to(std::string const& path) const
    {
        auto const found = requests_.find(path);
        return found == requests_.end() ? 0 : found->second;
    }
    void print(char const* what, double seconds)
    {
        auto const calls = world_.stage().database.calls();
        std::cout << what << ", a second: " << fmt::format("{:.0f}", double(calls - calls_) / seconds)
                  << " calls of the database";
        for (auto const& [path, count] : requests_)
            std::cout << ", " << path << ' ' << fmt::format("{:.0f}", double(count) / seconds);
        std::cout << std::endl;
        requests_.clear();
        calls_ = calls;
    }

private:
    cluster_world& world_;
    std::map<std::string, std::uint64_t> requests_;
    std::uint64_t calls_ = 0;
};

// The milliseconds after their instants at which the firings of this span began, in order. Those that ran again,
// because their client died, are left out.
std::vector<double> lags_of(cluster_world& world, std::vector<expectation> const& tasks, utc_time from, utc_time until)
{
    std::vector<double> lags;
    for (auto const& task : tasks)
        for (auto const& row : world.firings(task.task))
            if (row.attempt == 1 && row.scheduled_at >= to_micros(from) && row.scheduled_at < to_micros(until))
                lags.push_back(double(row.started_at - row.scheduled_at) / 1'000);
    std::sort(lags.begin(), lags.end());
    return lags;
}

// Returns p99.
double print_lags(char const* what, std::vector<double> const& lags)
{
    auto const at = [&](double share) { return lags.at(static_cast<std::size_t>(share * double(lags.size() - 1))); };
    std::cout << fmt::format("lag {}: p50 {:.1f} ms, p99 {:.1f} ms, longest {:.1f} ms\n", what, at(0.5), at(0.99),
                             at(1));
    return at(0.99);
}

} // namespace

TEST_CASE("a tenth of the nodes and clients end in one second, and the others fire on, evenly spread")
{
    auto const size = chosen_size();
    auto const before = resident_bytes();
    cluster_world world(Catch::rngSeed(), size.nodes, size.clients, 2);
    traffic seen(world);
    world.pass(10s);
    REQUIRE(world.master() >= 0);
    auto const homes = world.clients_of_nodes();
    CHECK(std::accumulate(homes.begin(), homes.end(), std::size_t{0}) == size.clients);
    std::cout << "resident bytes of all simulated processes, by client: " << (resident_bytes() - before) / size.clients
              << std::endl;
    seen.print("while all registered", 10);

    auto const from = begin_of(world);
    auto const until = from + std::chrono::seconds(size.seconds);
    std::vector<expectation> expected;
    for (int i = 0; i < 10; ++i) {
        auto often = make_task("often " + std::to_string(i), from, until);
        often.schedule.kind = protocol::schedule_kind::fixed_rate;
        often.schedule.every = 100ms;
        expected.push_back({world.add(often).task.id, often.name, instants_of(100ms, from, until)});
    }
    world.pass(10s);
    seen.print("without a fault", 10);

    auto const deaths = world.stage().time.utc();
    auto const master = static_cast<std::size_t>(world.master());
    for (std::size_t i = 0; i < size.nodes / 10; ++i)
        world.kill_node((master + 1 + i) % size.nodes, 20s);
    for (std::size_t i = 0; i < size.clients / 10; ++i)
        world.kill_client(i * 10, 20s);
    world.pass(20s);
    auto const moves = seen.to(protocol::path_register);
    CHECK(moves <= size.clients / 4);                                     // those of the dead nodes, and somewhat more
    CHECK(seen.to(protocol::path_departed) <= size.clients / 10 + moves); // deaths and moves
    seen.print("after the deaths", 20);
    world.pass(std::chrono::seconds(size.seconds) + 20s);

    print_lags("before the deaths", lags_of(world, expected, from, deaths));
    CHECK(print_lags("20 s from the deaths", lags_of(world, expected, deaths, deaths + 20s)) < 10);
    CHECK(world.terms().size() == 1);
    auto const after = world.clients_of_nodes();
    auto const share = size.clients / size.nodes;
    for (auto const count : after)
        CHECK(count <= share + std::max<std::size_t>(share / 5, 1));
    CHECK(std::accumulate(after.begin(), after.end(), std::size_t{0}) == size.clients);
    for (auto const& one : expected)
        CHECK(firing_problems(world, one) == "");
    CHECK(world.seen().doubled == 0);
}
