#include "locks/redis/blocking_connection.hpp"

#include "libs/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <system_error>

namespace baton::lock {

namespace {

constexpr duration just_now = 10ms; // a check within this time would cost more than it saves

bool would_block(error_code const& failure)
{
    return failure == asio::error::would_block || failure == asio::error::try_again;
}

// poll() takes whole milliseconds: rounded up, so that it never returns early.
int milliseconds_until(instant until, instant now)
{
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
    return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

} // namespace

redis_blocking_connection::redis_blocking_connection(asio::io_context& never_run, asio::ip::tcp::endpoint const& at,
                                                     redis_location to, time_source& time, instant until)
    : location_(std::move(to)), time_(time), socket_(never_run)
{
    connect(at, until);
    for (auto const& each : redis_handshake(location_))
        if (auto const answer = ask(each, until); answer.is_error())
            fail(answer.text);
}

void redis_blocking_connection::connect(asio::ip::tcp::endpoint const& at, instant until)
{
    error_code failure;
    socket_.open(at.protocol(), failure);
    if (failure)
        fail(failure.message());
    socket_.non_blocking(true);
    socket_.set_option(asio::ip::tcp::no_delay(true));
    socket_.set_option(asio::ip::tcp::socket::keep_alive(true));
    // Asio's connect would wait without a limit.
    if (::connect(socket_.native_handle(), at.data(), static_cast<socklen_t>(at.size())) == 0)
        return;
    if (errno != EINPROGRESS)
        fail(std::generic_category().message(errno));
    await(POLLOUT, until);
    int why = 0;
    socklen_t size = sizeof why;
    ::getsockopt(socket_.native_handle(), SOL_SOCKET, SO_ERROR, &why, &size);
    if (why != 0)
        fail(std::generic_category().message(why));
}

awaitable<redis_reply> redis_blocking_connection::call(redis_command const& words, instant until)
{
    co_return ask(words, until);
}

redis_reply redis_blocking_connection::ask(redis_command const& words, instant until)
{
    if (!socket_.is_open())
        fail("the connection has ended");
    write(to_wire(words), until);
    auto answer = read(until);
    answered_ = time_.now();
    return answer;
}

void redis_blocking_connection::write(std::string const& bytes, instant until)
{
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        error_code failure;
        sent += socket_.write_some(asio::buffer(bytes.data() + sent, bytes.size() - sent), failure);
        if (would_block(failure))
            await(POLLOUT, until);
        else if (failure)
            fail(failure.message());
    }
}

redis_reply redis_blocking_connection::read(instant until)
try {
    for (;;) {
        if (auto reply = reader_.next())
            return std::move(*reply);
        await(POLLIN, until);
        error_code failure;
        auto const size = socket_.read_some(asio::buffer(received_), failure);
        if (failure && !would_block(failure))
            fail(failure.message());
        reader_.feed(std::string_view(received_.data(), size));
    }
} catch (unavailable const&) {
    redis_abort(socket_);
    throw;
}

void redis_blocking_connection::await(short events, instant until)
{
    ::pollfd waited{socket_.native_handle(), events, 0};
    for (;;) {
        auto const now = time_.now();
        if (now >= until)
            fail("no answer in time");
        int const ready = ::poll(&waited, 1, milliseconds_until(until, now));
        if (ready > 0)
            return;
        if (ready < 0 && errno != EINTR)
            fail(std::generic_category().message(errno));
    }
}

void redis_blocking_connection::fail(std::string const& why)
{
    redis_abort(socket_);
    throw unavailable("Redis " + location_.text() + ": " + why);
}

bool redis_blocking_connection::seems_alive() const
{
    if (time_.now() < answered_ + just_now)
        return true;
    ::pollfd waited{socket_.native_handle(), POLLIN, 0};
    return ::poll(&waited, 1, 0) == 0;
}

} // namespace baton::lock
