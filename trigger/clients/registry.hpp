#pragma once

#include "libs/base/loop.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/clients/change_watch.hpp"
#include "trigger/clients/client_writer.hpp"
#include "trigger/clients/home_clients.hpp"
#include "trigger/clients/schema_writer.hpp"
#include "trigger/clients/settings.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The clients whose home is this node: those that are registered here. Their heartbeats stay in memory; the table of
// clients shows joins, moves and ends. A node keeps nothing about the clients of others. On the loop only.
class registry final : public home_clients {
public:
    registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
             asio::any_io_executor loop);

    // Once a second reads what others changed, unless note() says that there is nothing, and declares silent clients
    // gone. Runs until it is cancelled.
    awaitable<void> run();
    // Writes the rows, in groups. Runs until it is cancelled.
    awaitable<void> write_rows() { return writer_.run(); }

    // Writes the schemas of handlers that the clients announce. Runs until it is cancelled.
    awaitable<void> write_schemas() { return schema_writer_.run(); }

    // Another statement, sent at `asked`, has seen the time of the table's last change and the database's time. The
    // first change after a quiet time is read at once, later ones within a second.
    void note(utc_time last_change, utc_time now, instant asked);

    // Reads the changes of clients at once: web has changed the row of a client of this node.
    void look_again();

    enum class joined {
        here,
        gone,      // the instance is gone for good, because its executions were handed on
        overtaken, // the client has registered again since
        changed,   // this node has taken a registration with this number and other content
    };
    // For the endpoints. `join` throws invalid_input for a malformed request. A registration that this node has taken
    // already writes nothing, and one whose caller is gone before its turn (`connected`, which may be empty) neither.
    // All throw overloaded when too many writes wait.
    awaitable<joined> join(protocol::register_request request, std::function<bool()> connected = {});
    awaitable<bool> beat(protocol::heartbeat_request request); // false: not heard here, the client must register
    awaitable<void> leave(protocol::leave_request request);    // also of a client that another node hears

    // Another node says that this client has left, or that it is the client's home now by this registration.
    void departed(std::string const& instance);
    void moved(std::string const& instance, std::string const& home, std::int64_t generation);

    // Once the client has been told, by a refused registration: until then it may begin what reaches it late. A client
    // that sends no heartbeats counts as gone after its ttl.
    void bury(std::string const& instance, std::string const& why) override;
    void drains(std::string const& instance) override;
    known_client* find(std::string const& instance) override;
    std::size_t size() const { return clients_.size(); }
    std::uint64_t looks() const { return looks_; } // at clients, for their silence
    client_writer const& writer() const { return writer_; }
    bool hears(std::string const& instance) const { return clients_.contains(instance); }
    bool is_gone(std::string const& instance) const override { return buried_.contains(instance); }
    instant read_at() const { return changes_.read_at(); } // what others changed before then is known

    // Called for each client of this node that is gone: nothing more may be sent to it.
    void on_gone(std::function<void(std::string const& instance)> watcher) { gone_ = std::move(watcher); }
    // Called for each client whose end this node saw first, with the home of the client: the master does not know it
    // yet, nor does the home if it is another node.
    void on_departure(std::function<void(std::string const& instance, std::string const& home)> watcher)
    {
        departure_ = std::move(watcher);
    }
    // Called for each client that registered here and had another home before, which does not know it yet.
    void on_adoption(std::function<void(std::string const& instance, std::string const& before)> watcher)
    {
        adopted_ = std::move(watcher);
    }
    // Called when a client joined or changed, or has another home: then find() gives null.
    void on_change(std::function<void(std::string const& instance)> watcher) { changed_ = std::move(watcher); }

private:
    // Between two answers of the database without which no client counts as silent.
    static constexpr duration longest_gap = 3s;

    void note_answer();
    awaitable<void> read_changes();
    bool apply(storage::client_listing const& listed, instant asked); // true: may it be a client of this node?
    awaitable<void> adopt(std::vector<std::string> instances);
    void keep(storage::client_record row, bool drained);
    awaitable<bool> write_state(std::string instance, std::int64_t generation, storage::client_state wanted);
    awaitable<void> write_drains();
    void set_drained(std::string const& instance, known_client& known, bool drained);
    void lose(std::string const& instance);   // to another home
    void forget(std::string const& instance); // for good
    void report_gone(std::string const& instance);
    awaitable<void> bury_silent();
    awaitable<void> bury_those(std::vector<storage::registered_client> silent, instant now);
    bool tell_hopeless(protocol::register_request const& request);
    awaitable<void> bury_hopeless();
    awaitable<std::vector<std::string>> bury_in_groups(std::vector<storage::registered_client> which,
                                                       client_writer::filter wanted);
    awaitable<void> write_departures();
    awaitable<void> purge();

    // More members than usual: which clients are gone follows from all of them together.
    client_settings settings_;
    std::string self_;
    storage::clients table_;
    storage::handler_schemas schemas_;
    time_source& time_;
    client_writer writer_;
    schema_writer schema_writer_;
    std::unordered_map<std::string, known_client> clients_;
    std::uint64_t looks_ = 0;
    instant silent_from_{};                           // before then no client can have been silent for its ttl
    std::unordered_map<std::string, instant> buried_; // recently gone: an older row must not revive them
    std::map<std::string, std::int64_t> left_; // by instance: the last registration. The row does not show its end yet
    change_watch changes_;
    instant answered_at_{};     // when the database last answered
    instant listening_since_{}; // without a break
    instant purged_at_{};
    std::function<void(std::string const&)> gone_;
    std::function<void(std::string const&, std::string const&)> departure_;
    std::function<void(std::string const&, std::string const&)> adopted_;
    std::function<void(std::string const&)> changed_;
    struct burial {
        std::string why;
        bool told = false;
    };
    std::map<std::string, burial> to_bury_; // by instance
    std::set<std::string> to_drain_;        // that have answered that they stop
    waker bell_;
};

} // namespace baton::trigger
