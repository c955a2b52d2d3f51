#pragma once
// The client's connections: kept alive, counted by host and port, waited for in order. Of this folder alone; on the
// loop only.

#include "libs/http/client.hpp"
#include "libs/http/deadline.hpp"
#include "libs/http/wire.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <deque>

namespace baton::http {

class slot;

struct kept_connection {
    kept_connection(asio::any_io_executor loop, std::size_t body_limit);

    asio::ip::tcp::socket socket;
    boost::beast::flat_buffer buffer;
    response_reader reader;
    std::string head; // of the request
    instant idle_since;
};

class pool {
public:
    pool(time_source& time, client_settings settings) : time_(time), settings_(settings) {}

private:
    friend class slot;

    struct host {
        std::size_t busy = 0;                               // slots taken
        std::vector<std::unique_ptr<kept_connection>> idle; // busy + idle never exceeds the limit
        std::deque<slot*> waiting;
    };

    host& find(url const& to);
    std::shared_ptr<deadlines> const& limits(asio::any_io_executor const& loop);
    void drop_idle();

    time_source& time_;
    client_settings settings_;
    std::shared_ptr<deadlines> deadlines_; // made with the first request, which knows the loop
    std::map<std::pair<std::string, std::uint16_t>, host> hosts_;
    instant looked_ = instant::min(); // at idle connections
};

// The right to one of a host's connections for one exchange, and the limit that all its steps share. Gives everything
// back when it is destroyed, at whatever step.
class slot {
public:
    slot(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to);
    ~slot();
    slot(slot const&) = delete;
    slot& operator=(slot const&) = delete;

    deadline& limit() { return limit_; }

    awaitable<void> enter(); // waits for its turn; throws unreachable (not delivered) when the limit passes

    // Takes a kept connection if there is one that the other side has not closed as far as this host knows.
    bool take_kept();

    // Opens a connection of its own. Throws unreachable with `sent` as possibly_delivered.
    awaitable<void> connect(bool sent);

    kept_connection& on() { return *on_; }

    // To be called with the error of an operation: throws when the limit or a cancellation caused it.
    void check(error_code failed, bool sent) const;

    void keep(bool reusable) { reusable_ = reusable; }

private:
    struct resolution;

    void expire();
    awaitable<std::vector<asio::ip::tcp::endpoint>> resolve(bool sent);

    std::shared_ptr<pool> all_;
    asio::any_io_executor loop_;
    url const& to_;
    pool::host& host_;
    asio::steady_timer bell_;                  // never expires: cancelled to wake up
    asio::steady_timer* looking_up_ = nullptr; // the same of a look-up in progress
    bool entered_ = false;
    bool reusable_ = false;
    std::unique_ptr<kept_connection> on_;
    deadline limit_;
};

} // namespace baton::http
