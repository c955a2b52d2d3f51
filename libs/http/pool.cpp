#include "libs/http/pool.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>

#include <cerrno>
#include <sys/socket.h>

namespace baton::http {

namespace {

using asio::ip::tcp;

constexpr std::size_t header_limit = 64u << 10; // bytes of an answer's header

// True if an idle connection is usable: a received byte makes it as unusable as the end of the stream.
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

// Checks all hosts, at most once per idle limit and only when a request comes, so that it needs no timer.
void pool::drop_idle()
{
    auto const now = time_.now();
    if (checked_idle_ != instant::min() && now - checked_idle_ < settings_.idle_limit)
        return;
    checked_idle_ = now;
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
      peer_(to),
      host_(all_->find(to)),
      turn_(loop, asio::steady_timer::time_point::max()),
      limit_(all_->limits(loop), [this] { expire(); })
{}

slot::~slot()
{
    std::erase(host_.waiting, this);
    if (!entered_)
        return;
    if (connection_ && reusable_) {
        connection_->idle_since = all_->time_.now();
        host_.idle.push_back(std::move(connection_));
    }
    if (host_.waiting.empty()) {
        --host_.busy;
        return;
    }
    auto& next = *host_.waiting.front(); // takes over this slot's right, so `busy` stays the same
    host_.waiting.pop_front();
    next.entered_ = true;
    next.turn_.cancel();
}

void slot::expire()
{
    error_code ignored;
    turn_.cancel();
    if (lookup_ != nullptr)
        lookup_->cancel();
    if (connection_)
        connection_->socket.close(ignored);
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
    co_await turn_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    check(entered_ ? error_code{} : woken, false);
}

bool slot::take_kept()
{
    auto const now = all_->time_.now();
    while (!host_.idle.empty() && !connection_) {
        auto last = std::move(host_.idle.back());
        host_.idle.pop_back();
        if (now - last->idle_since < all_->settings_.idle_limit && is_quiet(last->socket))
            connection_ = std::move(last);
    }
    return connection_ != nullptr;
}

awaitable<void> slot::connect(bool sent)
{
    auto const endpoints = co_await resolve(sent);
    error_code failed = asio::error::host_not_found;
    for (auto const& endpoint : endpoints) {
        if (limit_.passed())
            check(asio::error::operation_aborted, sent);
        connection_ = std::make_unique<kept_connection>(loop_, all_->settings_.body_limit);
        co_await connection_->socket.async_connect(endpoint, asio::redirect_error(asio::use_awaitable, failed));
        if (!failed) {
            connection_->socket.set_option(tcp::no_delay(true), failed);
            connection_->socket.non_blocking(true, failed);
            co_return;
        }
        check(failed, sent);
    }
    throw unreachable("cannot connect to " + peer_.text() + ": " + failed.message(), sent);
}

void slot::check(error_code failed, bool sent) const
{
    if (limit_.passed())
        throw unreachable("no answer of " + peer_.text() + " in time", sent);
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error(failed);
}

// Shared by the resolver's thread and the request, which may be gone when the resolver answers.
struct slot::resolution {
    resolution(asio::any_io_executor const& loop)
        : resolver(loop), lookup_done(loop, asio::steady_timer::time_point::max())
    {}

    tcp::resolver resolver;
    asio::steady_timer lookup_done; // never expires; cancelled when the lookup is done
    bool done = false;
    error_code failed;
    std::vector<tcp::endpoint> endpoints;
};

// A name lookup cannot be cancelled, so the request awaits a timer that ends with the lookup or with the limit.
awaitable<std::vector<tcp::endpoint>> slot::resolve(bool sent)
{
    error_code no_address;
    auto const address = asio::ip::make_address(peer_.host, no_address);
    std::vector<tcp::endpoint> endpoints;
    if (!no_address) {
        endpoints.emplace_back(address, peer_.port);
        co_return endpoints;
    }
    auto const shared = std::make_shared<resolution>(loop_);
    auto const finish = [shared](error_code failed, tcp::resolver::results_type const& results) {
        shared->failed = failed;
        shared->done = true;
        for (auto const& each : results)
            shared->endpoints.push_back(each.endpoint());
        shared->lookup_done.cancel();
    };
    shared->resolver.async_resolve(peer_.host, std::to_string(peer_.port), tcp::resolver::numeric_service, finish);
    error_code woken;
    lookup_ = &shared->lookup_done;
    co_await shared->lookup_done.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    lookup_ = nullptr;
    if (!shared->done)
        check(woken, sent);
    if (shared->failed)
        throw unreachable("cannot resolve " + peer_.host + ": " + shared->failed.message(), sent);
    co_return shared->endpoints;
}

} // namespace baton::http
