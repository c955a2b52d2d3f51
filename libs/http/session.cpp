#include "libs/http/session.hpp"

#include "libs/base/log.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/http/streaming.hpp"
#include "libs/http/write_now.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>

namespace baton::http {

namespace {

using asio::ip::tcp;

// Bytes per read. The first one is also the buffer of an idle connection, of which a node has as many as clients; it
// holds most heartbeats.
constexpr std::size_t first_chunk = 1u << 10;
constexpr std::size_t chunk_growth = 8;
constexpr std::size_t large_chunk = 128u << 10;
constexpr duration linger_limit = 2s; // for a refused sender to stop sending and to read the answer

std::string name_of(tcp::socket const& socket)
{
    error_code ignored;
    auto const remote = socket.remote_endpoint(ignored);
    bool const v6 = remote.address().is_v6();
    return (v6 ? "[" : "") + remote.address().to_string() + (v6 ? "]:" : ":") + std::to_string(remote.port());
}

} // namespace

session::session(tcp::socket socket, session_rules const& rules)
    : rules_(rules),
      socket_(std::move(socket)),
      peer_(name_of(socket_)),
      reader_({rules.settings.header_limit, rules.settings.body_limit}, rules.settings.admit),
      limit_(rules.limits, [this] { expire(); })
{
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.non_blocking(true, ignored);
}

session::received session::judge(progress got)
{
    switch (got) {
    case progress::done:
        return received::request;
    case progress::header_too_large:
        return received::header_too_large;
    case progress::body_too_large:
        return received::body_too_large;
    case progress::bad_host:
        return received::bad_host;
    case progress::refused:
        return received::refused;
    default:
        return received::malformed;
    }
}

namespace {

std::string too_large(std::size_t limit)
{
    if (limit == 0)
        return "this path takes no body: leave it out";
    constexpr std::size_t mebibyte = 1u << 20;
    auto const most =
        limit % mebibyte == 0 ? std::to_string(limit / mebibyte) + " MiB" : std::to_string(limit) + " bytes";
    return "the body is larger than " + most + ", the most that this server reads; divide it among several requests";
}

} // namespace

response session::refusal(received got) const
{
    switch (got) {
    case received::header_too_large:
        return problem(431, "Request Header Fields Too Large", "the header is larger than this server reads");
    case received::body_too_large:
        return problem(413, "Content Too Large", too_large(reader_.body_limit()));
    case received::bad_host: // proxies and servers would differ in which site is meant (RFC 9112, section 3.2)
        return problem(400, "Bad Request", "an HTTP/1.1 request must have one Host field, and only one");
    case received::late:
        return problem(408, "Request Timeout", "the request did not arrive in time");
    default:
        return problem(400, "Bad Request", "this is not an HTTP/1.1 request");
    }
}

// A connection that waits for the rest of a request answers 408, so only its read is cancelled.
void session::expire()
{
    error_code ignored;
    if (reading_)
        socket_.cancel(ignored);
    else
        socket_.close(ignored);
}

void session::wind_down()
{
    error_code ignored;
    if (idle_)
        socket_.cancel(ignored);
    if (streaming_)
        streaming_->close();
}

awaitable<void> session::turn_away(char const* why)
{
    auto const full = problem(503, "Service Unavailable", why);
    co_await refuse(full);
}

// Throws only when cancelled.
awaitable<void> session::serve()
{
    enter_part("http requests");
    for (bool open = true; open && !rules_.stopping;) {
        auto const got = co_await receive();
        if (got == received::nothing)
            co_return;
        if (got != received::request) {
            auto const why = got == received::refused ? reader_.take_refusal() : refusal(got);
            co_await refuse(why);
            co_return;
        }
        open = co_await exchange();
    }
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<session::received> session::receive()
{
    reader_.start();
    reading_ = true;
    idle_ = buffer_.size() == 0;
    limit_.arm(idle_ ? rules_.settings.idle_limit : rules_.settings.read_limit);
    if (idle_ && buffer_.capacity() > first_chunk)
        buffer_.shrink_to_fit();
    bool timed = !idle_;
    bool continued = false;
    std::size_t wanted = first_chunk;
    for (;;) {
        if (buffer_.size() > 0) {
            auto const data = buffer_.data();
            std::size_t used = 0;
            auto const got = reader_.put({static_cast<char const*>(data.data()), data.size()}, used);
            buffer_.consume(used);
            if (got != progress::need_more)
                co_return judge(got);
            if (!timed)
                limit_.arm(rules_.settings.read_limit);
            timed = true;
            if (!continued && reader_.expects_continue()) {
                continued = true;
                if (!co_await write_continue())
                    co_return received::nothing;
            }
        }
        if (rules_.stopping && idle_)
            co_return received::nothing;
        if (limit_.passed())
            co_return idle_ ? received::nothing : received::late;
        kept_part const part;
        auto const space = buffer_.prepare(wanted);
        error_code failed;
        auto const size = co_await socket_.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
        if (failed)
            co_return limit_.passed() && !idle_ ? received::late : received::nothing;
        buffer_.commit(size);
        wanted = size == wanted ? std::min(chunk_growth * wanted, large_chunk) : wanted;
        idle_ = false;
    }
}

awaitable<bool> session::exchange()
{
    kept_part const part; // the endpoint has a name of its own
    auto message = reader_.take();
    message.peer = peer_;
    message.connected = [this] { return connected(); };
    bool const to_head = message.method == verb::head;
    limit_.disarm();
    auto answer = co_await answer_to(message);
    if (answer.stream && !to_head) {
        co_await stream(answer);
        co_return false;
    }
    bool const keep = reader_.keeps_alive() && !rules_.stopping;
    bool const written = co_await write(answer, to_head, keep);
    co_return written&& keep;
}

// The sender has not closed the connection. What it may have sent meanwhile stays in the socket.
bool session::connected()
{
    char byte = 0;
    error_code failed;
    socket_.receive(asio::buffer(&byte, 1), tcp::socket::message_peek, failed);
    return !failed || failed == asio::error::would_block;
}

awaitable<response> session::answer_to(request& message)
{
    try {
        co_return co_await rules_.handle(std::move(message));
    } catch (boost::system::system_error const& failure) {
        if (failure.code() == asio::error::operation_aborted)
            throw;
        log::error("http", "a handler failed, answering 500", {log::reason(failure.what())});
    } catch (std::exception const& failure) {
        log::error("http", "a handler failed, answering 500", {log::reason(failure.what())});
    }
    co_return problem(500, "Internal Server Error", "the server failed to handle this request; its log says more");
}

awaitable<bool> session::write(response const& answer, bool to_head, bool keep)
{
    render_head(head_, answer, to_head, keep);
    bool const bodiless = to_head || !has_body(answer.status);
    message_parts parts{asio::buffer(head_), bodiless ? asio::const_buffer() : asio::buffer(answer.body)};
    reading_ = false;
    error_code failed;
    write_now(socket_, parts, failed);
    if (failed || asio::buffer_size(parts) == 0)
        co_return !failed;
    limit_.arm(rules_.settings.write_limit);
    kept_part const part;
    co_await asio::async_write(socket_, parts, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
}

awaitable<void> session::stream(response const& answer)
{
    if (!reader_.is_http_1_1()) {
        auto const old = problem(505, "HTTP Version Not Supported", "this answer is a stream, which needs HTTP/1.1");
        co_await write(old, false, false);
        co_return;
    }
    if (!co_await write(answer, false, false))
        co_return;
    streaming_ = answer.stream;
    if (rules_.stopping)
        streaming_->close();
    peer_watch const watch(socket_, streaming_);
    co_await send_pieces(socket_, *streaming_, limit_, rules_.settings.write_limit);
    streaming_.reset();
}

awaitable<bool> session::write_continue()
{
    static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
    auto const part = asio::buffer(interim.data(), interim.size());
    error_code failed;
    co_await asio::async_write(socket_, part, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
}

// Closing a socket while the peer still sends resets the connection, and the peer may lose the answer. So received
// bytes are discarded for a while first.
awaitable<void> session::refuse(response const& answer)
{
    bool const written = co_await write(answer, false, false);
    error_code failed;
    socket_.shutdown(tcp::socket::shutdown_send, failed);
    buffer_.clear();
    limit_.arm(linger_limit);
    while (written && !failed && !limit_.passed()) {
        auto const space = buffer_.prepare(large_chunk);
        co_await socket_.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
    }
}

} // namespace baton::http
