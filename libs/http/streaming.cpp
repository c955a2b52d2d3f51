#include "libs/http/streaming.hpp"

#include "libs/base/loop_meter.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <charconv>

namespace baton::http {

namespace {

using asio::ip::tcp;

bool has_closed(tcp::socket& socket)
{
    char byte = 0;
    error_code failed;
    socket.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
    return failed && failed != asio::error::would_block;
}

// RFC 9112, section 7.1.
std::string chunk_of(std::string const& piece)
{
    std::array<char, 16> size{};
    auto const end = std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16).ptr;
    std::string framed(size.data(), end);
    return framed.append("\r\n").append(piece).append("\r\n");
}

} // namespace

peer_watch::peer_watch(tcp::socket& socket, std::shared_ptr<body_source> source)
    : socket_(socket), over_(std::make_shared<bool>(false))
{
    auto const look = [over = over_, &socket, source = std::move(source)](error_code failed) {
        if (!*over && !failed && has_closed(socket))
            source->close();
    };
    socket_.async_wait(tcp::socket::wait_read, look);
}

peer_watch::~peer_watch()
{
    *over_ = true;
    error_code ignored;
    socket_.cancel(ignored);
}

awaitable<bool> send_pieces(tcp::socket& socket, body_source& source, deadline& limit, duration write_limit)
{
    kept_part const part;
    for (;;) {
        limit.disarm();
        auto const piece = co_await source.next();
        auto const framed = chunk_of(piece); // an empty one ends the body
        limit.arm(write_limit);
        error_code failed;
        auto const bytes = asio::buffer(framed);
        co_await asio::async_write(socket, bytes, asio::redirect_error(asio::use_awaitable, failed));
        if (failed || piece.empty())
            co_return !failed;
    }
}

} // namespace baton::http
