#pragma once
// The client's connection pool: kept-alive connections, limited per host, port and owner, granted in order of arrival.
// Private to this folder; on the loop only.

#include "libs/http/client.hpp"
#include "libs/http/connect_race.hpp"
#include "libs/http/deadline.hpp"
#include "libs/http/resolver.hpp"
#include "libs/http/wire.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <deque>
#include <list>
#include <map>
#include <tuple>

namespace baton::http {

class slot;

struct kept_connection {
    // Counts itself in `count` as long as it lives.
    kept_connection(asio::any_io_executor loop, std::size_t body_limit, std::size_t& count);
    ~kept_connection() { --open; }
    kept_connection(kept_connection const&) = delete;
    kept_connection& operator=(kept_connection const&) = delete;

    asio::ip::tcp::socket socket;
    boost::beast::flat_buffer buffer;
    response_reader reader;
    std::string head; // the request's head, kept for its capacity
    instant idle_since;
    std::size_t& open;
};

class pool {
public:
    pool(time_source& time, client_settings settings) : time_(time), settings_(settings) {}

    void close(); // before the loop ends: no lookup answers any more

private:
    friend class slot;

    struct host;
    // A connection that is not in use. The order of all of them is the order in which they became idle.
    struct idle_connection {
        host* of;
        std::unique_ptr<kept_connection> connection;
    };
    using idle_list = std::list<idle_connection>;
    struct host {
        std::size_t busy = 0;                    // granted slots
        std::vector<idle_list::iterator> idle{}; // busy + idle never exceeds the limit; the last one was used last
        std::deque<slot*> waiting{};
        instant none_kept_until = instant::min(); // it closed a kept connection under a request
        asio::ip::address connected{};            // the address that was connected to last, if it has several
    };

    host& find(url const& to, std::string const& owner);
    std::shared_ptr<deadlines> const& limits(asio::any_io_executor const& loop);
    resolver& names(asio::any_io_executor const& loop);
    void keep(host& of, std::unique_ptr<kept_connection> connection);
    std::unique_ptr<kept_connection> take_idle(host& of); // the one that was used last, or null
    void drop_idle();
    void drop_oldest_idle();
    bool make_room(); // for one more connection

    time_source& time_;
    client_settings settings_;
    std::shared_ptr<deadlines> deadlines_; // created with the first request, which knows the loop
    std::shared_ptr<resolver> resolver_;   // likewise
    std::size_t open_ = 0;                 // connections, the idle ones included
    idle_list idle_;
    std::map<std::tuple<std::string, std::uint16_t, std::string>, host> hosts_; // the last one is the owner
    instant checked_idle_ = instant::min();
};

// The right to use one of a host's connections for one exchange, and the time limit that all steps of the exchange
// share. The destructor returns the connection and the right, whatever step was reached.
class slot {
public:
    slot(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to, std::string const& owner);
    ~slot();
    slot(slot const&) = delete;
    slot& operator=(slot const&) = delete;

    deadline& limit() { return limit_; }

    awaitable<void> enter(); // waits for its turn; throws unreachable (not delivered) if the limit passes

    // Takes a kept connection, if there is one that the server has not closed as far as this host knows.
    bool take_kept();

    // Did the host close a kept connection in the last minute, on which a request was on its way?
    bool closes_kept() const { return all_->time_.now() < host_.none_kept_until; }
    void note_closed_kept();

    // Opens a new connection. Throws unreachable with `sent` as possibly_delivered.
    awaitable<void> connect(bool sent);

    kept_connection& connection() { return *connection_; }

    // Call it with the result of each operation: throws if the limit or a cancellation ended the operation.
    void check(error_code failed, bool sent) const;

    void keep(bool reusable) { reusable_ = reusable; }

private:
    void expire();
    awaitable<std::vector<asio::ip::tcp::endpoint>> resolve(bool sent);
    awaitable<error_code> connect_to(std::vector<asio::ip::tcp::endpoint> endpoints);

    std::shared_ptr<pool> all_;
    asio::any_io_executor loop_;
    url const& peer_;
    pool::host& host_;
    asio::steady_timer turn_;              // never expires; cancelled when the slot is granted
    asio::steady_timer* lookup_ = nullptr; // likewise, for a name lookup in progress
    std::shared_ptr<connect_race> race_;   // between several addresses, in progress
    bool entered_ = false;
    bool reusable_ = false;
    std::unique_ptr<kept_connection> connection_;
    deadline limit_;
};

} // namespace baton::http
