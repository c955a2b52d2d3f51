#pragma once
// Sending a body_source as a chunked body. Private to this folder; on the loop only.

#include "libs/http/body_source.hpp"
#include "libs/http/deadline.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <memory>

namespace baton::http {

// Closes the source when the peer closes its side, which no write would tell before the next piece. Bytes that the peer
// sends meanwhile are not read; behind them, only a write that fails tells of the close.
class peer_watch {
public:
    peer_watch(asio::ip::tcp::socket& socket, std::shared_ptr<body_source> source);
    ~peer_watch();
    peer_watch(peer_watch const&) = delete;
    peer_watch& operator=(peer_watch const&) = delete;

private:
    asio::ip::tcp::socket& socket_;
    std::shared_ptr<bool> over_;
};

// Sends the pieces until the source ends or writing fails; `limit` bounds each write by `write_limit` and must close
// the socket when it expires. Returns true if the body was sent to its end.
awaitable<bool> send_pieces(asio::ip::tcp::socket& socket, body_source& source, deadline& limit, duration write_limit);

} // namespace baton::http
