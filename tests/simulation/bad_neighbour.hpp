#pragma once

#include "tests/simulation/cluster_verdict.hpp"

#include <string>
#include <vector>

// A service that misbehaves beside the others of a simulated cluster, and one in good health that must not feel it.
namespace baton::simulation {

// Each has its own project. The kind of misbehaviour is drawn. The neighbour begins with the tasks of the others, stops
// now and then, and goes on during the time in which the healthy service is judged.
class bad_neighbour {
public:
    explicit bad_neighbour(cluster_world& world); // adds the clients

    // Adds the tasks, active in [from, judged until). The healthy service has a firing each 500 ms of the judged time,
    // which must begin after all other faults are healed.
    void begin(utc_time from, utc_time judged_from, utc_time judged_until);

    // Healthy firings that are missed, doubled or late.
    std::string problems() const;

private:
    enum class kind { one_bad_client, no_clients, cancel_storm, mass_death };
    void draw();
    void add_clients(std::size_t count);
    void add_tasks(utc_time from, utc_time until);
    awaitable<void> act(utc_time judged_from, utc_time until);
    awaitable<void> annoy(duration span);
    void kill_all();

    cluster_world& world_;
    kind kind_ = kind::no_clients;
    conduct conduct_ = conduct::honest; // of its first client, at times
    std::vector<std::size_t> clients_{};
    expectation healthy_;
};

} // namespace baton::simulation
