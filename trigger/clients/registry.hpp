#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/settings.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// A client as this node knows it.
struct known_client {
    storage::client_record row;
    std::set<std::string> handlers;
    instant avoid_until{}; // it was busy or could not be reached
    bool takes_work() const { return row.state == storage::client_state::up; }
};

// All live clients of the cluster. The database says who joined, changed, drains or left; the heartbeats of those that
// beat at this node stay in its memory. On the loop only.
class registry {
public:
    registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
             asio::any_io_executor loop);

    // Reads changes once a second, unless others who read the database have noted that there are none, and buries the
    // silent; until cancelled.
    awaitable<void> run();
    awaitable<void> refresh();

    // What another statement, asked at `asked`, has seen in passing: when the table was last changed, and the
    // database's time. The first news after a quiet time are read at once, later ones within a second.
    void note(utc_time last_change, utc_time now, instant asked);

    // From the endpoints. `join` throws invalid_input for a request that makes no sense; false: the instance is gone,
    // for good, because what it held was handed on.
    awaitable<bool> join(protocol::register_request request);
    awaitable<bool> beat(protocol::heartbeat_request request); // false: unknown here, register
    awaitable<void> leave(std::string instance);

    // Another node says so.
    void departed(std::string const& instance);

    // Clients heard by a node that is gone and that no other node has adopted: gone too.
    awaitable<void> bury_heard_by(std::string node);

    known_client* find(std::string const& instance);
    // Not gone, in order of instance.
    std::vector<known_client*> of_service(std::string const& service);
    template <class Visit>
    void each(Visit visit)
    {
        for (auto& [instance, client] : clients_)
            visit(client);
    }
    // As of when the table is known: a client that joined before then and is not known here is gone.
    instant read_at() const { return read_at_; }
    std::size_t heard_here() const { return heard_.size(); }

    // A client is gone: nothing more is sent to it, and what it held must be settled.
    void on_gone(std::function<void(std::string const& instance)> watcher) { gone_ = std::move(watcher); }
    // One that this node itself saw leave: to be told to the other nodes.
    void on_departure(std::function<void(std::string const& instance)> watcher) { departure_ = std::move(watcher); }
    // Someone joined or changed: waiting work may have a taker.
    void on_change(std::function<void()> watcher) { changed_ = std::move(watcher); }

private:
    bool unchanged() const;
    void note_answer();
    void apply(storage::client_record row);
    void forget(std::string const& instance);
    awaitable<void> bury_silent();
    awaitable<void> write_departures();
    awaitable<void> forget_the_long_gone();

    client_settings settings_;
    std::string self_;
    storage::clients table_;
    time_source& time_;
    std::unordered_map<std::string, known_client> clients_;
    std::map<std::string, std::set<std::string>> services_; // service to instances
    std::unordered_map<std::string, instant> heard_;        // instance to its last heartbeat here
    instant silent_from_{};                                 // before then none of them is silent for too long
    std::unordered_map<std::string, instant> buried_;       // lately gone: an older row must not revive them
    std::map<std::string, storage::client_record> left_;    // whose row does not say so yet
    bool loaded_ = false;
    utc_time read_until_{};
    instant read_at_{};
    bool quiet_ = false;        // as last noted
    instant answered_at_{};     // when the database last answered
    instant listening_since_{}; // without a break
    instant purged_at_{};
    std::function<void(std::string const&)> gone_;
    std::function<void(std::string const&)> departure_;
    std::function<void()> changed_;
    waker bell_;
};

} // namespace baton::trigger
