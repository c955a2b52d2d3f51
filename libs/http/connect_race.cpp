#include "libs/http/connect_race.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace baton::http {

using asio::ip::tcp;

namespace {
constexpr auto attempt_delay = std::chrono::milliseconds(250); // RFC 8305, section 8
}

std::vector<tcp::endpoint> interleaved(std::vector<tcp::endpoint> const& all)
{
    if (all.empty())
        return all;
    std::vector<tcp::endpoint> first;
    std::vector<tcp::endpoint> other;
    for (auto const& one : all)
        (one.protocol() == all.front().protocol() ? first : other).push_back(one);
    std::vector<tcp::endpoint> out;
    out.reserve(all.size());
    for (std::size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
        if (i < first.size())
            out.push_back(first[i]);
        if (i < other.size())
            out.push_back(other[i]);
    }
    return out;
}

connect_race::connect_race(asio::any_io_executor loop, endpoints to)
    : loop_(loop),
      to_(std::move(to)),
      head_start_(loop),
      done_(loop, asio::steady_timer::time_point::max()),
      failed_(asio::error::host_not_found)
{}

awaitable<error_code> connect_race::connect(tcp::socket& into)
{
    auto const self = shared_from_this();
    try_next();
    error_code woken;
    if (!over_)
        co_await done_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    if (!over_) // the caller is cancelled
        stop();
    if (!winner_)
        co_return failed_;
    into = std::move(*winner_);
    co_return error_code{};
}

void connect_race::try_next()
{
    if (over_ || tried_.size() == to_.size())
        return;
    auto const which = tried_.size();
    tried_.push_back(std::make_unique<tcp::socket>(loop_));
    ++open_;
    auto const self = shared_from_this();
    tried_.back()->async_connect(to_[which], [self, which](error_code failed) { self->ended(which, failed); });
    if (tried_.size() == to_.size())
        return;
    head_start_.expires_after(attempt_delay);
    head_start_.async_wait([self](error_code cancelled) {
        if (!cancelled)
            self->try_next();
    });
}

void connect_race::ended(std::size_t which, error_code failed)
{
    --open_;
    if (over_)
        return;
    if (!failed) {
        winner_ = std::move(tried_[which]);
        return finish();
    }
    failed_ = failed;
    if (tried_.size() < to_.size()) {
        head_start_.cancel();
        try_next();
    } else if (open_ == 0) {
        finish();
    }
}

void connect_race::finish()
{
    over_ = true;
    head_start_.cancel();
    error_code ignored;
    for (auto const& each : tried_)
        if (each)
            each->close(ignored);
    done_.cancel();
}

void connect_race::stop()
{
    if (over_)
        return;
    failed_ = asio::error::operation_aborted;
    finish();
}

} // namespace baton::http
