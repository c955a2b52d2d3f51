#pragma once
// The listener's side of one connection, from its first byte to its last. Of this folder alone; on the loop only.

#include "libs/http/deadline.hpp"
#include "libs/http/server.hpp"
#include "libs/http/wire.hpp"

#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>

namespace baton::http {

using request_taker = std::function<awaitable<response>(request&&)>;

// What all connections of a listener share.
struct session_rules {
    server_settings settings;
    request_taker handle;
    std::shared_ptr<deadlines> limits;
    bool stopping = false; // no further request is begun
};

class session {
public:
    session(asio::ip::tcp::socket socket, session_rules const& rules);

    awaitable<void> serve();     // request after request
    awaitable<void> turn_away(); // says that there are too many connections

    // Ends a connection that waits for a request; one that is busy ends by itself after its answer.
    void wind_down();

    // Cancels whatever it does, the handler included. The coroutine above runs with this slot.
    void cut() { cut_.emit(asio::cancellation_type::terminal); }
    asio::cancellation_slot slot() { return cut_.slot(); }

private:
    enum class received { request, malformed, header_too_large, body_too_large, late, nothing };

    static received judge(progress got);
    static response refusal(received got);
    void expire();
    awaitable<received> receive();
    awaitable<bool> exchange();
    awaitable<response> answer_to(request& message);
    awaitable<bool> write(response const& answer, bool to_head, bool keep);
    awaitable<bool> write_continue();
    awaitable<void> refuse(response const& answer);

    session_rules const& rules_;
    asio::ip::tcp::socket socket_;
    std::string peer_;
    boost::beast::flat_buffer buffer_; // received and not yet read
    request_reader reader_;
    std::string head_;    // of the answer
    bool reading_ = true; // waits for bytes, as opposed to writing them
    bool idle_ = true;    // not a byte of a request is here
    deadline limit_;
    asio::cancellation_signal cut_;
};

} // namespace baton::http
