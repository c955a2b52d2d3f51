#include "libs/http/pool.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>

#include <cerrno>
#include <sys/socket.h>

namespace baton::http {

namespace {

using asio::ip::tcp;

constexpr std::size_t header_limit = 64u << 10; // of an answer, in bytes

// Nothing may come on an idle connection: a byte is as bad as the end of the stream.
bool is_quiet(tcp::socket& socket)
{
    char byte = 0;
    auto const got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

} // namespace

kept_connection::kept_connection(asio::any_io_executor loop, std::size_t body_limit)
    : socket(std::move(loop)), reader({header_limit, body_limit})
{}

pool::host& pool::find(url const& to)
{
    drop_idle();
    return hosts_[{to.host, to.port}];
}

// At most once a span, for all hosts; what is due and not asked for again waits until some request comes.
void pool::drop_idle()
{
    auto const now = time_.now();
    if (looked_ != instant::min() && now - looked_ < settings_.idle_limit)
        return;
    looked_ = now;
    for (auto at = hosts_.begin(); at != hosts_.end();) {
        auto& [busy, idle, waiting] = at->second;
        std::erase_if(idle, [&](auto const& each) { return now - each->idle_since >= settings_.idle_limit; });
        at = busy == 0 && idle.empty() && waiting.empty() ? hosts_.erase(at) : std::next(at);
    }
}

std::shared_ptr<deadlines> const& pool::limits(asio::any_io_executor const& loop)
{
    if (!deadlines_)
        deadlines_ = std::make_shared<deadlines>(loop, time_);
    return deadlines_;
}

slot::slot(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to)
    : all_(std::move(all)),
      loop_(loop),
      to_(to),
      host_(all_->find(to)),
      bell_(loop, asio::steady_timer::time_point::max()),
      limit_(all_->limits(loop), [this] { expire(); })
{}

slot::~slot()
{
    std::erase(host_.waiting, this);
    if (!entered_)
        return;
    if (on_ && reusable_) {
        on_->idle_since = all_->time_.now();
        host_.idle.push_back(std::move(on_));
    }
    if (host_.waiting.empty()) {
        --host_.busy;
        return;
    }
    auto& next = *host_.waiting.front(); // which inherits the place: `busy` stays
    host_.waiting.pop_front();
    next.entered_ = true;
    next.bell_.cancel();
}

void slot::expire()
{
    error_code ignored;
    bell_.cancel();
    if (looking_up_ != nullptr)
        looking_up_->cancel();
    if (on_)
        on_->socket.close(ignored);
}

awaitable<void> slot::enter()
{
    if (host_.busy < all_->settings_.connections_per_host) {
        ++host_.busy;
        entered_ = true;
        co_return;
    }
    host_.waiting.push_back(this);
    error_code woken;
    co_await bell_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    check(entered_ ? error_code{} : woken, false);
}

bool slot::take_kept()
{
    auto const now = all_->time_.now();
    while (!host_.idle.empty() && !on_) {
        auto last = std::move(host_.idle.back());
        host_.idle.pop_back();
        if (now - last->idle_since < all_->settings_.idle_limit && is_quiet(last->socket))
            on_ = std::move(last);
    }
    return on_ != nullptr;
}

awaitable<void> slot::connect(bool sent)
{
    auto const endpoints = co_await resolve(sent);
    error_code failed = asio::error::host_not_found;
    for (auto const& endpoint : endpoints) {
        if (limit_.passed())
            check(asio::error::operation_aborted, sent);
        on_ = std::make_unique<kept_connection>(loop_, all_->settings_.body_limit);
        co_await on_->socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) {
            on_->socket.set_option(tcp::no_delay(true), failed);
            on_->socket.non_blocking(true, failed);
            co_return;
        }
        check(failed, sent);
    }
    throw unreachable("cannot connect to " + to_.text() + ": " + failed.message(), sent);
}

void slot::check(error_code failed, bool sent) const
{
    if (limit_.passed())
        throw unreachable("no answer of " + to_.text() + " in time", sent);
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error(failed);
}

// What the resolver's thread and a request share: the request may be gone when an answer comes at last.
struct slot::resolution {
    resolution(asio::any_io_executor const& loop) : resolver(loop), bell(loop, asio::steady_timer::time_point::max()) {}

    tcp::resolver resolver;
    asio::steady_timer bell;
    bool done = false;
    error_code failed;
    std::vector<tcp::endpoint> endpoints;
};

// A look-up that hangs cannot be cancelled, so it is not awaited itself.
awaitable<std::vector<tcp::endpoint>> slot::resolve(bool sent)
{
    error_code no_address;
    auto const address = asio::ip::make_address(to_.host, no_address);
    std::vector<tcp::endpoint> endpoints;
    if (!no_address) {
        endpoints.emplace_back(address, to_.port);
        co_return endpoints;
    }
    auto const shared = std::make_shared<resolution>(loop_);
    auto const finish = [shared](error_code failed, tcp::resolver::results_type const& results) {
        shared->failed = failed;
        shared->done = true;
        for (auto const& each : results)
            shared->endpoints.push_back(each.endpoint());
        shared->bell.cancel();
    };
    shared->resolver.async_resolve(to_.host, std::to_string(to_.port), tcp::resolver::numeric_service, finish);
    error_code woken;
    looking_up_ = &shared->bell;
    co_await shared->bell.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    looking_up_ = nullptr;
    if (!shared->done)
        check(woken, sent);
    if (shared->failed)
        throw unreachable("cannot resolve " + to_.host + ": " + shared->failed.message(), sent);
    co_return shared->endpoints;
}

} // namespace baton::http
