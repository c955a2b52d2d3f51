#pragma once

#include "libs/protocol/service_key.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace baton::trigger {

// Clients that wait for a probe. Services take turns, and none has more than a quarter of the probes under way, so that
// the probes of a service whose clients do not answer, which take seconds each, delay those of no other. Pure.
class probe_line {
public:
    static constexpr std::size_t at_once = 200;
    static constexpr std::size_t of_a_service = at_once / 4;

    struct probe {
        protocol::service_key service;
        std::string instance;
    };

    void put(probe one);
    // The next probe, which is under way from now on; nothing if none may begin now.
    std::optional<probe> begin();
    void end(protocol::service_key const& service);

private:
    struct waiting {
        std::deque<std::string> instances;
        std::size_t under_way = 0;
        bool in_turn = false; // it is in `turns_`
    };
    void give_turn(protocol::service_key const& service, waiting& which);

    std::map<protocol::service_key, waiting> services_;
    std::deque<protocol::service_key> turns_; // those that wait and may begin one
    std::size_t under_way_ = 0;
};

} // namespace baton::trigger
