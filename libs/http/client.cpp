#include "libs/http/client.hpp"

#include "libs/http/pool.hpp"
#include "libs/http/write_now.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

namespace baton::http {

namespace {

constexpr std::size_t answer_chunk = 16u << 10; // bytes asked of a socket at once

// One request on its way. Stands in the frame of send(), whose destruction cleans up wherever it was cut off.
class exchange {
public:
    exchange(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to, request const& message)
        : to_(to), message_(message), slot_(std::move(all), std::move(loop), to)
    {}

    awaitable<response> run(duration limit);

private:
    awaitable<bool> attempt(response& answer);
    awaitable<bool> receive(response& answer);
    bool lost(error_code failed);

    url const& to_;
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
    if (slot_.take_kept())
        done = co_await attempt(answer);
    if (!done) {
        co_await slot_.connect(sent_);
        done = co_await attempt(answer);
    }
    if (!done)
        throw unreachable(to_.text() + " closed the connection without an answer", sent_);
    co_return answer;
}

// True when there is an answer, false when the connection was closed before a byte of one.
awaitable<bool> exchange::attempt(response& answer)
{
    auto& on = slot_.on();
    render_head(on.head, message_, to_);
    message_parts parts{asio::buffer(on.head), asio::buffer(message_.body)};
    error_code failed;
    auto size = write_now(on.socket, parts, failed);
    sent_ = sent_ || size > 0;
    if (!failed && asio::buffer_size(parts) > 0) {
        size = co_await asio::async_write(on.socket, parts, asio::redirect_error(asio::use_awaitable, failed));
        sent_ = sent_ || size > 0;
    }
    if (failed && lost(failed))
        co_return false;
    co_return co_await receive(answer);
}

awaitable<bool> exchange::receive(response& answer)
{
    auto& on = slot_.on();
    on.reader.start(message_.method == verb::head);
    auto got = progress::need_more;
    for (bool any = false; got == progress::need_more; any = true) {
        auto const space = on.buffer.prepare(answer_chunk);
        error_code failed;
        auto const size = co_await on.socket.async_read_some(space, asio::redirect_error(asio::use_awaitable, failed));
        if (failed && lost(failed)) {
            if (!any)
                co_return false;
            got = failed == asio::error::eof ? on.reader.end() : progress::malformed;
            break;
        }
        on.buffer.commit(size);
        auto const data = on.buffer.data();
        std::size_t used = 0;
        got = on.reader.put({static_cast<char const*>(data.data()), data.size()}, used);
        on.buffer.consume(used);
    }
    if (got == progress::body_too_large || got == progress::header_too_large)
        throw unreachable("the answer of " + to_.text() + " is larger than this client reads", true);
    if (got != progress::done)
        throw unreachable("the answer of " + to_.text() + " is broken off or not HTTP", true);
    answer = on.reader.take();
    slot_.keep(on.reader.keeps_alive() && on.buffer.size() == 0);
    co_return true;
}

// Throws if it was us who ended the operation.
bool exchange::lost(error_code failed)
{
    slot_.check(failed, sent_);
    return true;
}

awaitable<response> send_through(std::shared_ptr<pool> all, url to, request message, duration limit)
{
    auto const loop = co_await asio::this_coro::executor;
    exchange one(std::move(all), loop, to, message);
    co_return co_await one.run(limit);
}

class pooled_client final : public client {
public:
    pooled_client(time_source& time, client_settings settings) : pool_(std::make_shared<pool>(time, settings)) {}

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
