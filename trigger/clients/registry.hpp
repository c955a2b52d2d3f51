#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/clients/settings.hpp"

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
    instant avoid_until{}; // the client was busy or could not be reached
    bool takes_work() const { return row.state == storage::client_state::up; }
};

// All live clients of the cluster. The table of clients shows which joined, changed, drain or left. The heartbeats that
// this node receives stay in its memory. On the loop only.
class registry {
public:
    registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
             asio::any_io_executor loop);

    // Reads changes of the table once a second, unless note() says that there are none, and declares silent clients
    // gone. Runs until it is cancelled.
    awaitable<void> run();
    awaitable<void> refresh();

    // Another statement, sent at `asked`, has seen the time of the table's last change and the database's time. The
    // first change after a quiet time is read at once, later ones within a second.
    void note(utc_time last_change, utc_time now, instant asked);

    // For the endpoints. `join` throws invalid_input for a malformed request; false: the instance is gone for good,
    // because its executions were handed on.
    awaitable<bool> join(protocol::register_request request);
    awaitable<bool> beat(protocol::heartbeat_request request); // false: unknown here, the client must register
    awaitable<void> leave(std::string instance);

    // Another node says that this client has left.
    void departed(std::string const& instance);

    // The node is gone: declares its clients gone that no other node has adopted.
    awaitable<void> bury_heard_by(std::string node);

    known_client* find(std::string const& instance);
    // The live clients of a service, in order of instance.
    std::vector<known_client*> of_service(std::string const& service);
    template <class Visit>
    void each(Visit visit)
    {
        for (auto& [instance, client] : clients_)
            visit(client);
    }
    // The time of the last reading: a client that joined before and is not known here is gone.
    instant read_at() const { return read_at_; }
    std::size_t heard_here() const { return heard_.size(); }

    // Called for each client that is gone: nothing more may be sent to it, and its executions must be handed on.
    void on_gone(std::function<void(std::string const& instance)> watcher) { gone_ = std::move(watcher); }
    // Called for each client that this node itself saw leave: the other nodes do not know it yet.
    void on_departure(std::function<void(std::string const& instance)> watcher) { departure_ = std::move(watcher); }
    // Called when a client joined or changed: a waiting execution may have a taker.
    void on_change(std::function<void()> watcher) { changed_ = std::move(watcher); }

private:
    bool unchanged() const;
    void note_answer();
    void apply(storage::client_record row);
    void forget(std::string const& instance);
    awaitable<void> bury_silent();
    awaitable<void> write_departures();
    awaitable<void> forget_the_long_gone();

    // More members than usual: which clients are gone follows from all of them together.
    client_settings settings_;
    std::string self_;
    storage::clients table_;
    time_source& time_;
    std::unordered_map<std::string, known_client> clients_;
    std::map<std::string, std::set<std::string>> services_; // service to instances
    std::unordered_map<std::string, instant> heard_;        // instance to its last heartbeat here
    instant silent_from_{};                                 // before then no client can have been silent for its ttl
    std::unordered_map<std::string, instant> buried_;       // recently gone: an older row must not revive them
    std::map<std::string, storage::client_record> left_;    // left, but the row does not show it yet
    bool loaded_ = false;
    utc_time read_until_{};
    instant read_at_{};
    bool quiet_ = false;        // by the last note
    instant answered_at_{};     // when the database last answered
    instant listening_since_{}; // without a break
    instant purged_at_{};
    std::function<void(std::string const&)> gone_;
    std::function<void(std::string const&)> departure_;
    std::function<void()> changed_;
    waker bell_;
};

} // namespace baton::trigger
