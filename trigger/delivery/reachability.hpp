#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/clients/home_watches.hpp"
#include "trigger/delivery/reach_record.hpp"

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// Which of this node's clients it can call, for people: in the log, in the clients' rows, and in what the clients are
// told. It is apart from life: a client that cannot be called gets no work, but lives. A client that this node cannot
// reach is asked to register with a node that has not tried yet. On the loop only.
//
// The rows are written when something changes, many in a statement, because web and people read them there without
// asking every node. They change nothing that nodes decide by, so their `changed_at` stays.
class reachability final : public reach_record {
public:
    struct dependencies {
        membership const& nodes;
        home_watches& watches;
        time_source& time;
    };
    reachability(storage::database& shared, dependencies deps, asio::any_io_executor loop)
        : table_(shared), deps_(deps), bell_(std::move(loop))
    {}

    void found(lane_client const& who, protocol::reach state, std::string const& cause) override;
    void forget(std::string const& instance) override { clients_.erase(instance); }

    // The client has registered here because these nodes, by name, could not reach it.
    void tried(std::string const& instance, std::vector<std::string> nodes);

    struct view {
        protocol::reach state = protocol::reach::pending;
        std::string why; // for people, if it is unreachable
    };
    view of(std::string const& instance) const;

    // For a client that begins to watch: should it register with another node? Not asked again for a while.
    std::optional<protocol::watch_answer> move_of(std::string const& instance);

    // Writes the rows. Until cancelled.
    awaitable<void> run();

private:
    struct known {
        view shown;
        std::int64_t generation = 0;
        std::string cause;
        instant said_at{};
        instant asked_at{}; // to move
        std::vector<std::string> tried;
    };
    storage::node_record const* next_node(known const& client) const;
    void change(lane_client const& who, known& client, protocol::reach state, std::string const& cause);
    void tell(std::string const& instance, known& client);

    storage::clients table_;
    dependencies deps_;
    waker bell_;
    std::unordered_map<std::string, known> clients_;         // of this node
    std::map<std::string, storage::reach_change> unwritten_; // by instance
};

// "node trigger-2 cannot reach http://10.0.0.7:41234: connection timed out; set `address` (`advertise` of an agent), or
// let the client fetch". With `next`, the name of another node, the client is to try that one first. Pure.
std::string reach_words(std::string const& node, std::string const& address, std::string cause,
                        std::string const& next);

// Of the other nodes that live, the one with the fewest clients that is not among those `tried`, by name; null if all
// are. Pure.
storage::node_record const* node_to_try(std::vector<storage::node_record const*> const& others,
                                        std::vector<std::string> const& tried);

} // namespace baton::trigger
