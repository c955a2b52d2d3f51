#include "locks/redis/connection.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>

namespace baton::lock {

struct redis_connection::request {
    explicit request(asio::any_io_executor loop) : done(std::move(loop)) {}

    waker done;
    std::optional<redis_reply> answer;
    bool must_succeed = false; // or the connection is useless
};

std::shared_ptr<redis_connection> redis_connection::open(redis_location to, redis_connection_deps deps)
{
    auto const made = std::make_shared<redis_connection>(std::move(to), deps);
    made->send_handshake();
    asio::co_spawn(deps.loop, run(made), asio::detached);
    return made;
}

redis_connection::redis_connection(redis_location to, redis_connection_deps deps)
    : location_(std::move(to)), deps_(std::move(deps)), socket_(deps_.loop), resolver_(deps_.loop)
{}

void redis_connection::send_handshake()
{
    for (auto const& each : redis_handshake(location_))
        enqueue(each)->must_succeed = true;
}

std::shared_ptr<redis_connection::request> redis_connection::enqueue(redis_command const& words)
{
    auto made = std::make_shared<request>(deps_.loop);
    if (!open_)
        return made;
    pending_.push_back(made);
    outgoing_ += to_wire(words);
    return made;
}

void redis_connection::send(redis_command const& words)
{
    enqueue(words);
    flush();
}

awaitable<redis_reply> redis_connection::call(redis_command const& words, instant until)
{
    auto const me = shared_from_this(); // its owner may replace it meanwhile
    auto const sent = deps_.time.now();
    if (sent >= until) // the connection is not at fault
        throw unavailable("Redis " + location_.text() + ": no time was left to ask");
    auto const mine = enqueue(words);
    flush();
    while (!mine->answer && open_ && deps_.time.now() < until)
        co_await mine->done.wait_until(deps_.time, until);
    if (!mine->answer && open_) {
        redis_abort(socket_);
        close("no answer within " + std::to_string((until - sent) / 1ms) + " ms");
    }
    if (!mine->answer)
        throw unavailable("Redis " + location_.text() + ": " + failure_);
    co_return std::move(*mine->answer);
}

void redis_connection::close(std::string why)
{
    if (!std::exchange(open_, false))
        return;
    failure_ = std::move(why);
    error_code ignored;
    socket_.close(ignored);
    resolver_.cancel();
    for (auto const& each : pending_)
        each->done.wake();
    pending_.clear();
    if (on_end)
        on_end();
}

awaitable<void> redis_connection::run(self me)
{
    try {
        co_await me->connect();
        me->connected_ = true;
        me->flush();
        co_await me->read();
    } catch (std::exception const& failure) {
        me->close(failure.what());
    }
}

awaitable<void> redis_connection::connect()
{
    using asio::ip::tcp;
    error_code not_numeric;
    auto const address = asio::ip::make_address(location_.host, not_numeric);
    if (not_numeric) {
        auto const port = std::to_string(location_.port);
        auto const found = co_await resolver_.async_resolve(location_.host, port, asio::use_awaitable);
        if (open_)
            co_await asio::async_connect(socket_, found, asio::use_awaitable);
    } else {
        tcp::endpoint const end(address, location_.port);
        co_await socket_.async_connect(end, asio::use_awaitable);
    }
    if (!open_)
        throw unavailable(failure_);
    error_code ended_already;
    auto const at = socket_.remote_endpoint(ended_already);
    if (!ended_already)
        remote_ = at;
    socket_.set_option(tcp::no_delay(true));
    socket_.set_option(tcp::socket::keep_alive(true));
    socket_.non_blocking(true);
}

awaitable<void> redis_connection::read()
{
    auto const into = asio::buffer(received_);
    while (open_) {
        auto const size = co_await socket_.async_read_some(into, asio::use_awaitable);
        reader_.feed(std::string_view(received_.data(), size));
        while (open_) {
            auto reply = reader_.next();
            if (!reply)
                break;
            handle(std::move(*reply));
        }
    }
}

void redis_connection::handle(redis_reply reply)
{
    if (reply.list.size() == 3 && reply.list[0].text == "message") {
        if (on_message)
            on_message(reply.list[1].text, reply.list[2].text);
        return;
    }
    if (pending_.empty())
        return close("an answer without a command: " + reply.text);
    auto const next = std::move(pending_.front());
    pending_.pop_front();
    bool const useless = next->must_succeed && reply.is_error();
    auto const text = reply.text;
    next->answer = std::move(reply);
    next->done.wake();
    if (useless)
        close(text);
}

// Data that the kernel takes at once needs no coroutine.
void redis_connection::flush()
{
    if (!open_ || !connected_ || writing_ || outgoing_.empty())
        return;
    error_code failure;
    outgoing_.erase(0, socket_.write_some(asio::buffer(outgoing_), failure));
    if (failure && failure != asio::error::would_block)
        return close(failure.message());
    if (outgoing_.empty())
        return;
    writing_ = true;
    asio::co_spawn(deps_.loop, write(shared_from_this()), asio::detached);
}

awaitable<void> redis_connection::write(self me)
{
    try {
        while (me->open_ && !me->outgoing_.empty()) {
            me->sending_ = std::exchange(me->outgoing_, {});
            auto const piece = asio::buffer(me->sending_);
            co_await asio::async_write(me->socket_, piece, asio::use_awaitable);
        }
    } catch (std::exception const& failure) {
        me->close(failure.what());
    }
    me->writing_ = false;
}

} // namespace baton::lock
