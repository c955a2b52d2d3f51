#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/clients.hpp"
#include "trigger/clients/change_watch.hpp"
#include "trigger/master/client_table.hpp"
#include "trigger/master/served_demands.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The live clients of the cluster, each with its service, its set of handlers and its home: about 140 bytes a client
// with a name of 70 bytes. Part of a term: read at its beginning in pages, then kept up by the changes of the table and
// by what nodes tell. On the loop only.
class client_directory {
public:
    client_directory(storage::database& shared, time_source& time, asio::any_io_executor loop);

    // Reads the changes once a second, unless note() says that there are none. Until cancelled.
    awaitable<void> run();
    // Reads all clients the first time, afterwards the changes. Throws unavailable.
    awaitable<void> refresh();
    // Another statement, sent at `asked`, has seen the time of the table's last change and the database's time.
    void note(utc_time last_change, utc_time now, instant asked);

    // Declares the clients gone whose home was this node, which is gone.
    awaitable<void> bury_heard_by(std::string node);
    void gone(std::string const& instance); // by a notice

    listed_client const* find(std::string const& instance) const; // null: gone, or not read yet (see read_at)
    std::vector<listed_client const*> const& of_service(protocol::service_view service) const; // in order of instance
    // At most `most` of them behind this instance.
    std::span<listed_client const* const> behind(protocol::service_view service, std::string_view after,
                                                 std::size_t most) const;
    // How many clients of the service meet the demand. Costs no look at each of them, except for the first question.
    served_demands::count serving(protocol::service_view service, std::string const& demand)
    {
        return demands_.of(service, demand, of_service(service));
    }
    // The homes of the clients, each with the number of its clients.
    std::map<std::string, std::size_t> const& homes() const { return homes_; }
    std::size_t size() const { return clients_.size(); }
    // Rises with each change. Until the next one all listed clients stay where they are in memory.
    std::uint64_t changes() const { return changed_; }
    // A client that joined before this time and is not known here is gone. Before the first reading: long ago.
    instant read_at() const { return changes_.begun() ? changes_.read_at() : instant::min(); }

    // Called for each client that the table shows as gone.
    void on_gone(std::function<void(std::string const& instance)> watcher) { gone_ = std::move(watcher); }
    // Called for each client that is new here, has changed or is gone.
    void on_change(std::function<void(std::string const& instance)> watcher) { watcher_ = std::move(watcher); }

private:
    awaitable<void> read_all();
    awaitable<void> read_changes();
    void apply(storage::client_listing const& listed);
    void put(storage::client_listing const& listed);
    void remove(std::string const& instance);
    handler_set& handlers_of(std::string const& text);
    void drop_slack();

    storage::clients table_;
    time_source& time_;
    change_watch changes_;
    std::map<std::string, std::size_t> homes_;              // clients by home
    std::unordered_map<std::string, handler_set> handlers_; // by their text
    client_table clients_;
    protocol::service_map<std::vector<listed_client const*>> services_;
    served_demands demands_;
    std::uint64_t changed_ = 0;
    bool reading_all_ = false;
    waker read_;
    waker bell_;
    std::function<void(std::string const&)> gone_;
    std::function<void(std::string const&)> watcher_;
};

} // namespace baton::trigger
