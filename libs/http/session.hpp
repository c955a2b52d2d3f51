#pragma once
// The server's side of one connection. Private to this folder; on the loop only.

#include "libs/http/deadline.hpp"
#include "libs/http/server.hpp"
#include "libs/http/wire.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

namespace baton::http {

using request_taker = std::function<awaitable<response>(request&&)>;

// Shared by all connections of a listener.
struct session_rules {
    server_settings settings;
    request_taker handle;
    std::shared_ptr<deadlines> limits;
    bool stopping = false; // start no further request
};

class session {
public:
    session(asio::ip::tcp::socket socket, session_rules const& rules);

    awaitable<void> serve();                    // request after request
    awaitable<void> turn_away(char const* why); // answers 503 because there are too many connections

    // Closes an idle connection, and the source of a body that is being streamed; a busy connection closes after its
    // answer because rules_.stopping is set.
    void wind_down();

    // Cancels the connection's coroutine and its handler. The listener binds slot() to that coroutine.
    void cut() { cut_.emit(asio::cancellation_type::terminal); }
    asio::cancellation_slot slot() { return cut_.slot(); }

private:
    enum class received { request, malformed, header_too_large, body_too_large, bad_host, refused, late, nothing };

    static received judge(progress got);
    response refusal(received got) const;
    void expire();
    awaitable<received> receive();
    awaitable<bool> exchange();
    awaitable<response> answer_to(request& message);
    bool connected();
    awaitable<bool> write(response const& answer, bool to_head, bool keep);
    awaitable<void> stream(response const& answer);
    awaitable<bool> write_continue();
    awaitable<void> refuse(response const& answer);

    session_rules const& rules_;
    asio::ip::tcp::socket socket_;
    std::string peer_;
    boost::beast::flat_buffer buffer_; // received and not yet parsed
    request_reader reader_;
    std::string head_;                       // the answer's head, kept for its capacity
    bool reading_ = true;                    // false while writing
    bool idle_ = true;                       // no byte of a request has been received
    std::shared_ptr<body_source> streaming_; // the body that is being sent, if it has a source
    deadline limit_;
    asio::cancellation_signal cut_;
};

} // namespace baton::http
