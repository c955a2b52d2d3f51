#pragma once
// A connection to a Redis server for the loop. It connects by itself and sends commands in order. The first failure
// closes it for good; open another one then. On the loop only.
//
// The socket is Asio's, since hiredis' own asynchronous contexts resolve names on the caller's thread and may be freed
// only outside of their own callbacks. Asio resolves a host name on a thread of its own, and the end of the loop waits
// for that.

#include "libs/base/loop.hpp"
#include "locks/redis/connection_base.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

struct redis_connection_deps {
    asio::any_io_executor loop;
    time_source& time;
    duration limit; // of all commands of one lock call, including the connect
};

class redis_connection final : public redis_connection_base, public std::enable_shared_from_this<redis_connection> {
public:
    static std::shared_ptr<redis_connection> open(redis_location to, redis_connection_deps deps);
    redis_connection(redis_location to, redis_connection_deps deps); // for open()

    bool is_open() const { return open_; }
    redis_location const& where() const override { return location_; }
    // The address that the host name resolved to; nothing before it is connected.
    std::optional<asio::ip::tcp::endpoint> const& remote() const { return remote_; }

    // If the caller is cancelled, the command still takes effect.
    awaitable<redis_reply> call(redis_command const& words, instant until) override;
    void send(redis_command const& words); // ignores the answer
    void close(std::string why);

    // A message on a subscribed channel.
    std::function<void(std::string const& channel, std::string const& text)> on_message;
    std::function<void()> on_end;

private:
    struct request;
    using self = std::shared_ptr<redis_connection>;

    static awaitable<void> run(self me);
    static awaitable<void> write(self me);
    awaitable<void> connect();
    awaitable<void> read();
    void send_handshake();
    void flush();
    void handle(redis_reply reply);
    std::shared_ptr<request> enqueue(redis_command const& words);

    // More members than usual: the reading and the writing side of one socket.
    redis_location location_;
    redis_connection_deps deps_;
    asio::ip::tcp::socket socket_;
    asio::ip::tcp::resolver resolver_;
    std::optional<asio::ip::tcp::endpoint> remote_;
    redis_reader reader_;
    std::array<char, 16'384> received_;
    std::deque<std::shared_ptr<request>> pending_; // sent or to be sent, in the order of their answers
    std::string outgoing_;
    std::string sending_;
    bool open_ = true;
    bool connected_ = false;
    bool writing_ = false;
    std::string failure_; // why it closed
};

} // namespace baton::lock
