#pragma once
// A connection to a Redis server for threads that block. One thread at a time sends a command and reads the answer
// itself, without a loop. The first failure closes it for good. The socket is Asio's, which prevents SIGPIPE; waiting
// uses poll(2), which has a limit.

#include "locks/redis/connection_base.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <string>

namespace baton::lock {

class redis_blocking_connection final : public redis_connection_base {
public:
    // Connects. Throws unavailable. `never_run` only owns the socket; no thread runs it.
    redis_blocking_connection(asio::io_context& never_run, asio::ip::tcp::endpoint const& at, redis_location to,
                              time_source& time, instant until);

    redis_location const& where() const override { return location_; }
    awaitable<redis_reply> call(redis_command const& words, instant until) override; // never suspends

    bool is_open() const { return socket_.is_open(); }
    // False if the server seems to have closed it since the last answer. Not checked within 10 ms after an answer.
    bool seems_alive() const;

private:
    void connect(asio::ip::tcp::endpoint const& at, instant until);
    redis_reply ask(redis_command const& words, instant until);
    void write(std::string const& bytes, instant until);
    redis_reply read(instant until);
    void await(short events, instant until);
    [[noreturn]] void fail(std::string const& why);

    redis_location location_;
    time_source& time_;
    mutable asio::ip::tcp::socket socket_; // its native handle is not for const ones
    redis_reader reader_;
    std::array<char, 4'096> received_;
    instant answered_{};
};

} // namespace baton::lock
