#pragma once

#include "libs/base/random.hpp"
#include "trigger/delivery/service_lanes.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace baton::trigger {

// The clients of this node, and the choice among them for an execution. On the loop only.
class lanes {
public:
    lanes(lane_limits limits, random_source& random) : limits_(limits), random_(random)
    {
        holders_.reserve(without_growing);
    }

    client_lane* find(std::string const& instance);
    // The lane of this number; null if it is not a lane of this node any more. A client that comes back gets another.
    client_lane* numbered(std::uint64_t number);
    // Adds the client, or changes what is known of it.
    client_lane& put(lane_client who);
    // Null if it is not a client of this node.
    std::unique_ptr<client_lane> remove(std::string const& instance);
    void lost_handler(client_lane& lane, std::string const& handler);

    // The client that should get the next execution of this demand (protocol::demand_for): one with a free slot before
    // one with room in its queue, and among the former one that has answered its last request before one that has not,
    // among the latter one that makes progress before one whose slots all hang. Null if none has room. Looks at a
    // bounded number of clients.
    client_lane* choose(protocol::service_view service, std::string const& demand, protocol::client_choice choice,
                        instant now);
    // Another client with room for this demand than these, which are few; null if there is none.
    client_lane* choose_other(protocol::service_view service, std::string const& demand,
                              std::vector<std::string> const& than, instant now);
    // Clients that the choices until now have looked at.
    std::uint64_t looks() const { return looks_; }

    // See client_lane: the client took this attempt.
    void has(client_lane& lane, protocol::attempt_key const& which, instant now);
    void learn(client_lane& lane, protocol::attempt_key const& which, instant now);
    // The end of this attempt is recorded; `sender` has sent the result, perhaps for another client. Returns the client
    // that had it; null if no client of this node is known to have it, nor is it on its way to the sender.
    client_lane* ended(std::string const& sender, protocol::attempt_key const& which, instant now);

    // The client does not run it.
    void lost(client_lane& lane, execution_id execution);

    // See client_lane::is_watched: call it when the lane may have become so.
    void watch(client_lane& lane, instant now);
    // Looks at those whose time has come, and returns them.
    std::vector<client_lane*> look(instant now);
    std::optional<instant> next_look() const;
    // See client_lane::ran.
    void ran(client_lane& lane, int count, duration total, instant now);

    // See client_lane::told_room.
    void told_room(client_lane& lane, int free, instant now, duration span);

    // The client may take more or less than before, and so may its service: see take_changed.
    void mark_changed(client_lane& lane);
    // The master chose this client: it is told of its places from now on.
    void set_named(client_lane& lane);
    void mark_all_changed();
    bool any_changed() const { return !changed_.empty() || !named_changed_.empty(); }
    // The capacity of services marked since the last call, for the master. At most `bytes` as JSON, unless that of the
    // first service alone is larger; the others stay marked.
    protocol::capacity_message take_changed(std::size_t bytes = most_told);
    // The master did not hear it.
    void put_back(protocol::capacity_message const& message);
    protocol::capacity_message all(); // of every service, as far as it fits into one answer
    protocol::service_capacity capacity(protocol::service_view service) const;
    // Bytes of JSON that one message tells of one service. Sets of handlers beyond it get no work, and the log says so.
    static constexpr std::size_t most_told = 1u << 20;

    template <class Visit>
    void each(Visit visit)
    {
        for (auto& [instance, lane] : lanes_)
            visit(*lane);
    }
    std::size_t size() const { return lanes_.size(); }

private:
    static constexpr std::size_t without_growing = 100'000; // executions, since growing is a long step of the loop

    client_lane* first_with_slot(service_lanes::pool const& serving);
    client_lane* in_turn(service_lanes::pool& serving, std::size_t first, instant now);
    client_lane* least_loaded(service_lanes::pool& serving, instant now);
    // The best of at most `most` clients from this one on, by `better(one, best)`; null among none.
    template <class Better>
    client_lane* best_from(service_lanes::ordered const& among, client_lane* first, std::size_t most, Better better);
    protocol::service_capacity told_of(protocol::service_view service);
    void return_room(instant now);
    std::vector<protocol::client_places> take_named(std::size_t bytes);
    void tell_places(client_lane& lane);
    void note_changed(client_lane& lane);
    void forget_holder(execution_id execution, client_lane const& lane);
    void enter(client_lane& lane);
    void leave(client_lane& lane);

    lane_limits limits_;
    random_source& random_;
    std::map<std::string, std::unique_ptr<client_lane>> lanes_; // ordered, so that a simulation repeats exactly
    std::unordered_map<std::uint64_t, client_lane*> numbers_;
    std::unordered_map<execution_id, std::uint64_t> holders_; // the lanes of executions that clients have
    std::uint64_t last_number_ = 0;
    protocol::service_table<service_lanes> services_;
    protocol::service_set changed_;
    protocol::service_set shortened_; // services of which the master is not told everything
    std::set<std::pair<instant, std::uint64_t>>
        hiding_; // when room that a client has denied is looked at again; numbers
    std::set<std::pair<instant, std::uint64_t>> watched_; // when lanes are looked at; numbers
    std::set<std::uint64_t> in_watched_;                  // numbers
    std::set<std::uint64_t> named_changed_;               // lanes that the master has chosen; numbers
    std::uint64_t looks_ = 0;
    std::int64_t told_ = 0; // capacity messages
};

} // namespace baton::trigger
