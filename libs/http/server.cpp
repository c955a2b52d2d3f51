#include "libs/http/server.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/http/deadline.hpp"
#include "libs/http/wire.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <array>
#include <unordered_set>

namespace baton::http {

namespace {

using asio::ip::tcp;
using taker = std::function<awaitable<response>(request&&)>;

constexpr std::size_t chunk = 8u << 10;         // bytes asked of a socket at once; an idle connection holds no more
constexpr std::size_t large_chunk = 128u << 10; // within a large message
constexpr std::size_t refusals = 256;           // connections over the limit that get an answer at the same time
constexpr duration linger_limit = 2s;           // for a refused sender to stop sending and read why
constexpr duration accept_pause = 100ms;        // after a failed accept; file descriptors come back with time

struct connection {
    connection(tcp::socket its_socket, server_settings const& settings, std::shared_ptr<deadlines> all)
        : socket(std::move(its_socket)),
          reader({settings.header_limit, settings.body_limit}),
          limit(std::move(all), [this] { expire(); })
    {
        error_code ignored;
        socket.set_option(tcp::no_delay(true), ignored);
        socket.non_blocking(true, ignored);
        auto const remote = socket.remote_endpoint(ignored);
        bool const v6 = remote.address().is_v6();
        peer = (v6 ? "[" : "") + remote.address().to_string() + (v6 ? "]:" : ":") + std::to_string(remote.port());
    }

    // What waits for more of a request is to answer 408, so its socket stays open.
    void expire()
    {
        error_code ignored;
        if (reading)
            socket.cancel(ignored);
        else
            socket.close(ignored);
    }

    tcp::socket socket;
    std::string peer;
    boost::beast::flat_buffer buffer; // received and not yet read
    request_reader reader;
    std::string head; // of the answer
    bool reading = true;
    bool idle = true; // not a byte of a request is here
    deadline limit;
    asio::cancellation_signal cut;
};

using connection_ptr = std::shared_ptr<connection>;

enum class received { request, malformed, header_too_large, body_too_large, late, nothing };

received judge(progress got)
{
    switch (got) {
    case progress::done:
        return received::request;
    case progress::header_too_large:
        return received::header_too_large;
    case progress::body_too_large:
        return received::body_too_large;
    default:
        return received::malformed;
    }
}

response refusal(received got)
{
    switch (got) {
    case received::header_too_large:
        return problem(431, "Request Header Fields Too Large", "the header is larger than this server reads");
    case received::body_too_large:
        return problem(413, "Content Too Large", "the body is larger than this server reads");
    case received::late:
        return problem(408, "Request Timeout", "the request did not arrive in time");
    default:
        return problem(400, "Bad Request", "this is not an HTTP/1.1 request");
    }
}

class listener final : public server {
public:
    listener(asio::any_io_executor loop, time_source& time, server_settings settings, taker handle);

    std::uint16_t port() const override { return port_; }
    awaitable<void> run(duration drain) override;

private:
    void bind();
    awaitable<void> accept();
    awaitable<void> finish(duration drain);
    void start(tcp::socket socket);
    awaitable<void> serve(connection_ptr on);
    awaitable<void> turn_away(connection_ptr on);
    awaitable<received> receive(connection& on);
    awaitable<bool> exchange(connection& on);
    awaitable<response> answer_to(request& message);
    awaitable<bool> write(connection& on, response const& answer, bool to_head, bool keep);
    awaitable<bool> write_continue(connection& on);
    awaitable<void> refuse(connection& on, response const& answer);

    asio::any_io_executor loop_;
    time_source& time_;
    server_settings settings_;
    taker handle_;
    tcp::acceptor acceptor_;
    std::uint16_t port_ = 0;
    std::shared_ptr<deadlines> deadlines_;
    std::unordered_set<connection_ptr> connections_;
    std::size_t turned_away_ = 0; // of them, those over the limit
    waker ended_;                 // rung when the last connection ends during the drain
    bool stopping_ = false;
};

listener::listener(asio::any_io_executor loop, time_source& time, server_settings settings, taker handle)
    : loop_(loop),
      time_(time),
      settings_(std::move(settings)),
      handle_(std::move(handle)),
      acceptor_(loop),
      deadlines_(std::make_shared<deadlines>(loop, time)),
      ended_(loop)
{
    bind();
}

void listener::bind()
{
    error_code wrong;
    auto const address = asio::ip::make_address(settings_.address, wrong);
    if (wrong)
        throw invalid_input("address", "'" + settings_.address + "' is not an IP address");
    tcp::endpoint const wanted(address, settings_.port);
    try {
        acceptor_.open(wanted.protocol());
        acceptor_.set_option(tcp::acceptor::reuse_address(true));
        acceptor_.bind(wanted);
        acceptor_.listen();
        port_ = acceptor_.local_endpoint().port();
    } catch (boost::system::system_error const& failure) {
        throw unavailable("cannot listen on " + settings_.address + " port " + std::to_string(settings_.port) + ": " +
                          failure.code().message());
    }
}

awaitable<void> listener::run(duration drain)
{
    // The drain has to await things although this coroutine is cancelled by then; whoever awaits run() is to notice the
    // cancellation again, so the state itself is left alone and the drain is a coroutine of its own.
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await accept();
    auto draining = finish(drain);
    co_await asio::co_spawn(loop_, std::move(draining), asio::use_awaitable);
    co_await asio::this_coro::throw_if_cancelled(true);
}

awaitable<void> listener::accept()
{
    asio::steady_timer pause(loop_);
    for (;;) {
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none)
            co_return;
        error_code failed;
        auto socket = co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) {
            start(std::move(socket));
        } else if (failed != asio::error::operation_aborted && failed != asio::error::connection_aborted) {
            log::warn("cannot accept connections on port {}: {}", port_, failed.message());
            pause.expires_after(accept_pause);
            co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, failed));
        }
    }
}

awaitable<void> listener::finish(duration drain)
{
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    stopping_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (auto const& on : connections_)
        if (on->idle)
            on->socket.cancel(ignored);
    auto const until = time_.now() + drain;
    for (bool in_time = true; in_time && !connections_.empty();)
        in_time = co_await ended_.wait_until(time_, until);
    std::vector<connection_ptr> const left(connections_.begin(), connections_.end());
    if (!left.empty())
        log::warn("port {}: {} connections did not end within the drain", port_, left.size());
    for (auto const& on : left)
        on->cut.emit(asio::cancellation_type::terminal);
    while (!connections_.empty())
        co_await ended_.wait();
}

void listener::start(tcp::socket socket)
{
    if (turned_away_ >= refusals)
        return; // and so the socket is closed without a word
    bool const full = connections_.size() - turned_away_ >= settings_.connection_limit;
    turned_away_ += full ? 1 : 0;
    auto on = std::make_shared<connection>(std::move(socket), settings_, deadlines_);
    connections_.insert(on);
    auto const ended = [this, on, full](std::exception_ptr) { // an exception here is the connection's cancellation
        turned_away_ -= full ? 1 : 0;
        connections_.erase(on);
        if (stopping_ && connections_.empty())
            ended_.wake();
    };
    auto work = full ? turn_away(on) : serve(on);
    asio::co_spawn(loop_, std::move(work), asio::bind_cancellation_slot(on->cut.slot(), ended));
}

awaitable<void> listener::turn_away(connection_ptr on)
{
    auto const full = problem(503, "Service Unavailable", "this server has as many connections as it serves");
    co_await refuse(*on, full);
}

awaitable<void> listener::serve(connection_ptr on)
{
    for (bool open = true; open && !stopping_;) {
        auto const got = co_await receive(*on);
        if (got == received::nothing)
            co_return;
        if (got != received::request) {
            auto const why = refusal(got);
            co_await refuse(*on, why);
            co_return;
        }
        open = co_await exchange(*on);
    }
    error_code ignored;
    on->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

awaitable<received> listener::receive(connection& on)
{
    on.reader.start();
    on.reading = true;
    on.idle = on.buffer.size() == 0;
    on.limit.arm(on.idle ? settings_.idle_limit : settings_.read_limit);
    if (on.idle && on.buffer.capacity() > chunk)
        on.buffer.shrink_to_fit();
    bool continued = false;
    std::size_t wanted = chunk;
    for (;;) {
        if (on.buffer.size() > 0) {
            auto const data = on.buffer.data();
            std::size_t used = 0;
            auto const got = on.reader.put({static_cast<char const*>(data.data()), data.size()}, used);
            on.buffer.consume(used);
            if (got != progress::need_more)
                co_return judge(got);
            if (!continued && on.reader.expects_continue()) {
                continued = true;
                if (!co_await write_continue(on))
                    co_return received::nothing;
            }
        }
        if (stopping_ && on.idle)
            co_return received::nothing;
        if (on.limit.passed())
            co_return on.idle ? received::nothing : received::late;
        auto const space = on.buffer.prepare(wanted);
        error_code failed;
        auto const size = co_await on.socket.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
        if (failed)
            co_return on.limit.passed() && !on.idle ? received::late : received::nothing;
        on.buffer.commit(size);
        wanted = size == wanted ? large_chunk : wanted;
        if (on.idle)
            on.limit.arm(settings_.read_limit);
        on.idle = false;
    }
}

awaitable<bool> listener::exchange(connection& on)
{
    auto message = on.reader.take();
    message.peer = on.peer;
    bool const to_head = message.method == verb::head;
    on.limit.disarm();
    auto const answer = co_await answer_to(message);
    bool const keep = on.reader.keeps_alive() && !stopping_;
    bool const written = co_await write(on, answer, to_head, keep);
    co_return written&& keep;
}

awaitable<response> listener::answer_to(request& message)
{
    try {
        co_return co_await handle_(std::move(message));
    } catch (boost::system::system_error const& failure) {
        if (failure.code() == asio::error::operation_aborted)
            throw;
        log::error("a handler failed: {}", failure.what());
    } catch (std::exception const& failure) {
        log::error("a handler failed: {}", failure.what());
    }
    co_return problem(500, "Internal Server Error", "the server failed to handle this request; its log says more");
}

awaitable<bool> listener::write(connection& on, response const& answer, bool to_head, bool keep)
{
    render_head(on.head, answer, to_head, keep);
    bool const bodiless = to_head || !has_body(answer.status);
    std::array<asio::const_buffer, 2> const parts{asio::buffer(on.head),
                                                  bodiless ? asio::const_buffer() : asio::buffer(answer.body)};
    on.reading = false;
    on.limit.arm(settings_.write_limit);
    error_code failed;
    co_await asio::async_write(on.socket, parts, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
}

awaitable<bool> listener::write_continue(connection& on)
{
    static constexpr std::string_view interim = "HTTP/1.1 100 Continue\r\n\r\n";
    auto const part = asio::buffer(interim.data(), interim.size());
    error_code failed;
    co_await asio::async_write(on.socket, part, asio::redirect_error(asio::use_awaitable, failed));
    co_return !failed;
}

// A socket that is closed while the other side still sends resets the connection, and the answer may be lost with it:
// so what comes is read and forgotten for a while.
awaitable<void> listener::refuse(connection& on, response const& answer)
{
    bool const written = co_await write(on, answer, false, false);
    error_code failed;
    on.socket.shutdown(tcp::socket::shutdown_send, failed);
    on.buffer.clear();
    on.limit.arm(linger_limit);
    while (written && !failed && !on.limit.passed()) {
        auto const space = on.buffer.prepare(large_chunk);
        co_await on.socket.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
    }
}

} // namespace

std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    handler handle)
{
    auto const lend = [handle = std::move(handle)](request&& message) { return handle(message); };
    return std::make_unique<listener>(std::move(loop), time, std::move(settings), lend);
}

std::unique_ptr<server> make_server(asio::any_io_executor loop, time_source& time, server_settings settings,
                                    router const& endpoints)
{
    auto const give = [&endpoints](request&& message) { return endpoints.handle(std::move(message)); };
    return std::make_unique<listener>(std::move(loop), time, std::move(settings), give);
}

} // namespace baton::http
