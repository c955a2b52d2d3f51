#include "libs/http/client.hpp"

#include "libs/base/loop_meter.hpp"
#include "libs/http/pool.hpp"
#include "libs/http/write_now.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

namespace baton::http {

namespace {

constexpr std::size_t answer_chunk = 16u << 10; // bytes per read

// One request and its answer. It lives in the coroutine frame of send(), so that a cancellation at any step cleans up.
class exchange {
public:
    exchange(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to, request const& message)
        : peer_(to), message_(message), slot_(std::move(all), std::move(loop), to, message.owner)
    {}

    awaitable<response> run(duration limit);

private:
    awaitable<bool> attempt(response& answer);
    awaitable<bool> receive(response& answer);
    bool lost(error_code failed);
    bool on_new_connection() const { return message_.once && slot_.closes_kept(); }

    url const& peer_;
    request const& message_;
    slot slot_;
    bool sent_ = false; // a byte of the request may have arrived
};

awaitable<response> exchange::run(duration limit)
{
    response answer;
    slot_.limit().arm(limit);
    co_await slot_.enter();
    bool done = false;
    bool const kept = slot_.take_kept();
    if (kept && !on_new_connection()) {
        done = co_await attempt(answer);
        if (!done)
            slot_.note_closed_kept();
    }
    if (!done && !(message_.once && sent_)) {
        co_await slot_.connect(sent_);
        done = co_await attempt(answer);
    }
    if (!done)
        throw unreachable(peer_.text() + " closed the connection without an answer", sent_);
    co_return answer;
}

// True if an answer was received, false if the connection was closed before its first byte.
awaitable<bool> exchange::attempt(response& answer)
{
    auto& connection = slot_.connection();
    render_head(connection.head, message_, peer_);
    message_parts parts{asio::buffer(connection.head), asio::buffer(message_.body)};
    error_code failed;
    auto size = write_now(connection.socket, parts, failed);
    sent_ = sent_ || size > 0;
    if (!failed && asio::buffer_size(parts) > 0) {
        size = co_await asio::async_write(connection.socket, parts, asio::redirect_error(asio::use_awaitable, failed));
        sent_ = sent_ || size > 0;
    }
    if (failed && lost(failed))
        co_return false;
    co_return co_await receive(answer);
}

awaitable<bool> exchange::receive(response& answer)
{
    auto& connection = slot_.connection();
    connection.reader.start(message_.method == verb::head);
    auto got = progress::need_more;
    for (bool any = false; got == progress::need_more; any = true) {
        auto const space = connection.buffer.prepare(answer_chunk);
        error_code failed;
        auto const size =
            co_await connection.socket.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
        if (failed && lost(failed)) {
            if (!any)
                co_return false;
            got = failed == asio::error::eof ? connection.reader.end() : progress::malformed;
            break;
        }
        connection.buffer.commit(size);
        auto const data = connection.buffer.data();
        std::size_t used = 0;
        got = connection.reader.put({static_cast<char const*>(data.data()), data.size()}, used);
        connection.buffer.consume(used);
    }
    if (got == progress::body_too_large || got == progress::header_too_large)
        throw unreachable("the answer of " + peer_.text() + " exceeds the size limit", true);
    if (got != progress::done)
        throw unreachable("the answer of " + peer_.text() + " is incomplete or not HTTP", true);
    answer = connection.reader.take();
    slot_.keep(connection.reader.keeps_alive() && connection.buffer.size() == 0 && !on_new_connection());
    co_return true;
}

// Returns true if the peer or the network ended the operation; throws if the limit or a cancellation did.
bool exchange::lost(error_code failed)
{
    slot_.check(failed, sent_);
    return true;
}

awaitable<response> send_through(std::shared_ptr<pool> all, url to, request message, duration limit)
{
    kept_part const part;
    auto const loop = co_await asio::this_coro::executor;
    exchange one(std::move(all), loop, to, message);
    co_return co_await one.run(limit);
}

class pooled_client final : public client {
public:
    pooled_client(time_source& time, client_settings settings) : pool_(std::make_shared<pool>(time, settings)) {}
    ~pooled_client() override { pool_->close(); } // requests that are left keep the pool

    awaitable<response> send(url to, request message, duration limit) override
    {
        return send_through(pool_, std::move(to), std::move(message), limit);
    }

private:
    std::shared_ptr<pool> pool_;
};

} // namespace

std::unique_ptr<client> make_client(time_source& time, client_settings settings)
{
    return std::make_unique<pooled_client>(time, settings);
}

} // namespace baton::http
