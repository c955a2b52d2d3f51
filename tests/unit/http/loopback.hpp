#pragma once
// A listener on a free port of 127.0.0.1, a client, and plain sockets, all on one loop.

#include "libs/base/loop.hpp"
#include "libs/http/http.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <optional>

namespace baton::http::test {

using asio::ip::tcp;

class loopback {
public:
    void listen(handler handle, server_settings settings = {}, duration drain = 5s)
    {
        server_ = make_server(io.get_executor(), time, std::move(settings), std::move(handle));
        to = parse_url("http://127.0.0.1:" + std::to_string(server_->port()));
        auto const ended = [this](std::exception_ptr failure) {
            stopped = true;
            if (failure)
                std::rethrow_exception(failure);
        };
        stopped = false;
        asio::co_spawn(io, server_->run(drain), asio::bind_cancellation_slot(stop_.slot(), ended));
    }

    void stop() { stop_.emit(asio::cancellation_type::terminal); }

    // Runs the scenario to its end and stops the listener; fails the test if that takes a minute.
    void run(awaitable<void> scenario)
    {
        bool done = false;
        auto const ended = [&](std::exception_ptr failure) {
            done = true;
            stop();
            if (failure)
                std::rethrow_exception(failure);
        };
        asio::co_spawn(io, std::move(scenario), ended);
        io.run_for(60s);
        REQUIRE(done);
        REQUIRE(stopped);
    }

    asio::io_context io{1};
    system_time time;
    url to;
    bool stopped = true;

private:
    asio::cancellation_signal stop_;
    std::unique_ptr<server> server_;
};

inline request get(std::string target)
{
    request made;
    made.target = std::move(target);
    return made;
}

inline request post(std::string target, std::string body)
{
    request made;
    made.method = verb::post;
    made.target = std::move(target);
    made.body = std::move(body);
    return made;
}

inline response text(std::string body)
{
    response made;
    made.body = std::move(body);
    return made;
}

// The answer, or how sending failed.
struct outcome {
    std::optional<response> answer;
    bool unreachable = false;
    bool possibly_delivered = false;
    bool aborted = false;
    std::string why;
};

inline awaitable<outcome> try_send(client& by, url to, request message, duration limit)
{
    outcome made;
    try {
        made.answer = co_await by.send(to, message, limit);
    } catch (unreachable const& failure) {
        made.unreachable = true;
        made.possibly_delivered = failure.possibly_delivered();
        made.why = failure.what();
    } catch (boost::system::system_error const& failure) {
        made.aborted = failure.code() == asio::error::operation_aborted;
    }
    co_return made;
}

inline awaitable<tcp::socket> dial(url to)
{
    tcp::socket socket(co_await asio::this_coro::executor);
    tcp::endpoint const there(asio::ip::make_address(to.host), to.port);
    co_await socket.async_connect(there, asio::use_awaitable);
    co_return socket;
}

// Reads until the peer closes.
inline awaitable<std::string> read_all(tcp::socket& socket)
{
    std::string all;
    std::array<char, 4096> part;
    for (;;) {
        error_code failed;
        auto const space = asio::buffer(part);
        auto const size = co_await socket.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
        if (failed)
            co_return all;
        all.append(part.data(), size);
    }
}

inline awaitable<void> write_all(tcp::socket& socket, std::string_view bytes)
{
    error_code ignored;
    auto const part = asio::buffer(bytes.data(), bytes.size());
    co_await asio::async_write(socket, part, asio::redirect_error(asio::use_awaitable, ignored));
}

// Sends bytes on a new connection and returns everything received until the peer closes.
inline awaitable<std::string> talk(url to, std::string bytes)
{
    auto socket = co_await dial(to);
    co_await write_all(socket, bytes);
    co_return co_await read_all(socket);
}

} // namespace baton::http::test
