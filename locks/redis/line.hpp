#pragma once
// One connection to a Redis server for threads that wait: one at a time asks and reads the answer itself, without a
// loop. Ends for good with its first failure. The socket is Asio's, which spares the process a SIGPIPE; the waiting is
// poll(2)'s, which has a limit.

#include "locks/redis/peer.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <string>

namespace baton::lock {

class redis_line final : public redis_peer {
public:
    // Connects. Throws unavailable. `never_run` only owns the socket.
    redis_line(asio::io_context& never_run, asio::ip::tcp::endpoint const& at, redis_location to, time_source& time,
               instant until);

    redis_location const& where() const override { return to_; }
    awaitable<redis_reply> call(redis_command const& words, instant until) override; // never suspends

    bool is_open() const { return socket_.is_open(); }
    // False when the server seems to have ended it since the last answer. One that was used just now is not looked at.
    bool seems_alive() const;

private:
    void connect(asio::ip::tcp::endpoint const& at, instant until);
    redis_reply ask(redis_command const& words, instant until);
    void write(std::string const& bytes, instant until);
    redis_reply read(instant until);
    void await(short events, instant until);
    [[noreturn]] void fail(std::string const& why);

    redis_location to_;
    time_source& time_;
    mutable asio::ip::tcp::socket socket_; // its native handle is not for const ones
    redis_reader reader_;
    std::array<char, 4'096> received_;
    instant answered_{};
};

} // namespace baton::lock
