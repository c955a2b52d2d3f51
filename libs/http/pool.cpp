#include "libs/http/pool.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/redirect_error.hpp>

#include <algorithm>
#include <cerrno>
#include <sys/socket.h>

namespace baton::http {

namespace {

using asio::ip::tcp;

constexpr std::size_t header_limit = 64u << 10;  // bytes of an answer's header
constexpr duration none_kept_after_close = 1min; // then a broken network may have been the cause

// True if an idle connection is usable: a received byte makes it as unusable as the end of the stream.
bool is_quiet(tcp::socket& socket)
{
    char byte = 0;
    auto const got = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

} // namespace

kept_connection::kept_connection(asio::any_io_executor loop, std::size_t body_limit, std::size_t& count)
    : socket(std::move(loop)), reader({header_limit, body_limit}), open(count)
{
    ++open;
}

pool::host& pool::find(url const& to, std::string const& owner)
{
    drop_idle();
    return hosts_[{to.host, to.port, owner}];
}

// Checks all hosts, at most once per idle limit and only when a request comes, so that it needs no timer.
void pool::drop_idle()
{
    auto const now = time_.now();
    if (checked_idle_ != instant::min() && now - checked_idle_ < settings_.idle_limit)
        return;
    checked_idle_ = now;
    while (!idle_.empty() && now - idle_.front().connection->idle_since >= settings_.idle_limit)
        drop_oldest_idle();
    std::erase_if(hosts_, [](auto const& entry) {
        return entry.second.busy == 0 && entry.second.idle.empty() && entry.second.waiting.empty();
    });
}

void pool::drop_oldest_idle()
{
    std::erase(idle_.front().of->idle, idle_.begin());
    idle_.pop_front();
}

bool pool::make_room()
{
    if (open_ >= settings_.connection_limit && !idle_.empty())
        drop_oldest_idle();
    return open_ < settings_.connection_limit;
}

void pool::keep(host& of, std::unique_ptr<kept_connection> connection)
{
    connection->idle_since = time_.now();
    of.idle.push_back(idle_.insert(idle_.end(), {&of, std::move(connection)}));
}

std::unique_ptr<kept_connection> pool::take_idle(host& of)
{
    if (of.idle.empty())
        return nullptr;
    auto const last = of.idle.back();
    of.idle.pop_back();
    auto connection = std::move(last->connection);
    idle_.erase(last);
    return connection;
}

resolver& pool::names(asio::any_io_executor const& loop)
{
    if (!resolver_)
        resolver_ = std::make_shared<resolver>(loop, time_);
    return *resolver_;
}

void pool::close()
{
    if (resolver_)
        resolver_->close();
}

std::shared_ptr<deadlines> const& pool::limits(asio::any_io_executor const& loop)
{
    if (!deadlines_)
        deadlines_ = std::make_shared<deadlines>(loop, time_);
    return deadlines_;
}

slot::slot(std::shared_ptr<pool> all, asio::any_io_executor loop, url const& to, std::string const& owner)
    : all_(std::move(all)),
      loop_(loop),
      peer_(to),
      host_(all_->find(to, owner)),
      turn_(loop, asio::steady_timer::time_point::max()),
      limit_(all_->limits(loop), [this] { expire(); })
{}

slot::~slot()
{
    std::erase(host_.waiting, this);
    if (race_)
        race_->stop();
    if (!entered_)
        return;
    if (connection_ && reusable_)
        all_->keep(host_, std::move(connection_));
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
    if (race_)
        race_->stop();
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
    while (!connection_) {
        auto last = all_->take_idle(host_);
        if (!last)
            return false;
        if (now - last->idle_since < all_->settings_.idle_limit && is_quiet(last->socket))
            connection_ = std::move(last);
    }
    return true;
}

void slot::note_closed_kept()
{
    host_.none_kept_until = all_->time_.now() + none_kept_after_close;
}

awaitable<void> slot::connect(bool sent)
{
    auto endpoints = co_await resolve(sent);
    if (limit_.passed())
        check(asio::error::operation_aborted, sent);
    connection_.reset();
    if (!all_->make_room())
        throw unreachable("cannot connect to " + peer_.text() + ": all " +
                              std::to_string(all_->settings_.connection_limit) + " connections are in use",
                          sent);
    connection_ = std::make_unique<kept_connection>(loop_, all_->settings_.body_limit, all_->open_);
    auto failed = co_await connect_to(std::move(endpoints));
    if (!failed) {
        connection_->socket.set_option(tcp::no_delay(true), failed);
        connection_->socket.non_blocking(true, failed);
        co_return;
    }
    if (limit_.passed())
        throw unreachable("cannot connect to " + peer_.text() + ": connection timed out", sent);
    check(failed, sent);
    all_->names(loop_).forget(peer_.host); // it may have moved
    throw unreachable("cannot connect to " + peer_.text() + ": " + failed.message(), sent);
}

// The address that was connected to last comes first.
awaitable<error_code> slot::connect_to(std::vector<tcp::endpoint> endpoints)
{
    error_code failed;
    if (endpoints.size() == 1) {
        co_await connection_->socket.async_connect(endpoints.front(),
                                                   asio::redirect_error(asio::use_awaitable, failed));
        co_return failed;
    }
    endpoints = interleaved(endpoints);
    std::stable_partition(endpoints.begin(), endpoints.end(),
                          [this](auto const& one) { return one.address() == host_.connected; });
    race_ = std::make_shared<connect_race>(loop_, std::move(endpoints));
    failed = co_await race_->connect(connection_->socket);
    race_.reset();
    error_code unknown;
    auto const peer = failed ? tcp::endpoint{} : connection_->socket.remote_endpoint(unknown);
    host_.connected = peer.address();
    co_return failed;
}

void slot::check(error_code failed, bool sent) const
{
    if (limit_.passed())
        throw unreachable("no answer of " + peer_.text() + " in time", sent);
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error(failed);
}

// A lookup cannot be cancelled, so the request awaits a timer that ends with the lookup or with the limit.
awaitable<std::vector<tcp::endpoint>> slot::resolve(bool sent)
{
    error_code no_address;
    auto const address = asio::ip::make_address(peer_.host, no_address);
    std::vector<tcp::endpoint> endpoints;
    if (!no_address) {
        endpoints.emplace_back(address, peer_.port);
        co_return endpoints;
    }
    auto& names = all_->names(loop_);
    auto known = names.find(peer_.host);
    if (!known) {
        asio::steady_timer done(loop_, asio::steady_timer::time_point::max());
        resolver::waiter const mine(names, peer_.host, done, known);
        error_code woken;
        lookup_ = &done;
        co_await done.async_wait(asio::redirect_error(asio::use_awaitable, woken));
        lookup_ = nullptr;
        if (!known)
            check(woken, sent);
    }
    if (!known || known->failed)
        throw unreachable("cannot resolve " + peer_.host + ": " + (known ? known->failed.message() : "no answer"),
                          sent);
    for (auto const& each : known->addresses)
        endpoints.emplace_back(each, peer_.port);
    co_return endpoints;
}

} // namespace baton::http
