#pragma once
// One connection to a Redis server. It connects by itself, sends commands in the order in which they are given, and
// ends for good with its first failure: who needs another opens one. On the loop only.
//
// The socket is Asio's; hiredis' own asynchronous contexts look names up on the caller's thread and may be freed only
// outside of their own callbacks. A name that is not numeric is looked up on a thread of Asio's, and the end of the
// loop waits for that.

#include "libs/base/loop.hpp"
#include "locks/redis/peer.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace baton::lock {

struct redis_connection_parts {
    asio::any_io_executor loop;
    time_source& time;
    duration limit; // for all that one call of a lock asks, from before the connect
};

class redis_connection final : public redis_peer, public std::enable_shared_from_this<redis_connection> {
public:
    static std::shared_ptr<redis_connection> open(redis_location to, redis_connection_parts parts);
    redis_connection(redis_location to, redis_connection_parts parts); // for open()

    bool is_open() const { return open_; }
    redis_location const& where() const override { return to_; }
    // Whom the name has led to; nothing before it is connected.
    std::optional<asio::ip::tcp::endpoint> const& peer() const { return peer_; }

    // A caller that is cancelled leaves the command on its way.
    awaitable<redis_reply> call(redis_command const& words, instant until) override;
    void send(redis_command const& words); // nobody waits for the answer
    void close(std::string why);

    // Of the channels that are subscribed to.
    std::function<void(std::string const& channel, std::string const& text)> on_message;
    std::function<void()> on_end;

private:
    struct request;
    using self = std::shared_ptr<redis_connection>;

    static awaitable<void> run(self me);
    static awaitable<void> write(self me);
    awaitable<void> connect();
    awaitable<void> read();
    void introduce();
    void flush();
    void handle(redis_reply reply);
    std::shared_ptr<request> enqueue(redis_command const& words);

    redis_location to_;
    redis_connection_parts parts_;
    asio::ip::tcp::socket socket_;
    asio::ip::tcp::resolver resolver_;
    std::optional<asio::ip::tcp::endpoint> peer_;
    redis_reader reader_;
    std::array<char, 16'384> received_;
    std::deque<std::shared_ptr<request>> pending_; // sent or to be sent, in the order of their answers
    std::string outgoing_;
    std::string sending_;
    bool open_ = true;
    bool connected_ = false;
    bool writing_ = false;
    std::string why_; // it ended
};

} // namespace baton::lock
