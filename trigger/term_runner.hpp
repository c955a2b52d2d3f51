#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/delivery/master_link.hpp"
#include "trigger/election/term_log.hpp"
#include "trigger/master/master.hpp"

#include <exception>
#include <string>

namespace baton::trigger {

// Makes and runs a master for each term that the election wins, connects it to the node's other parts, and logs the
// beginning and the end of the term. On the loop only.
class term_runner {
public:
    struct dependencies {
        election_proxy& election;
        master_link& link;
        known_epoch& epochs;
        cluster_clock& clock;
        time_source& time;
        task_group& background; // ends before this object
    };
    term_runner(std::string name_space, master_settings const& settings, dependencies deps,
                master::dependencies for_master, asio::any_io_executor loop);

    // The duty of the elector: one term. Throws if a part of the master fails.
    awaitable<void> run(std::int64_t epoch);

private:
    std::string why_ended(std::exception_ptr const& failure) const;

    std::string name_space_;
    master_settings settings_;
    dependencies deps_;
    master::dependencies for_master_;
    asio::any_io_executor loop_;
};

} // namespace baton::trigger
