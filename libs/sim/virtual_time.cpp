#include "libs/sim/virtual_time.hpp"

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace baton::sim {

namespace {

constexpr utc_time start_of_simulations = std::chrono::sys_days{std::chrono::year{2026} / std::chrono::March / 1};
constexpr instant start_of_now{1'000s};

// So many handlers without the time passing mean a loop that never sleeps.
constexpr std::uint64_t patience = 5'000'000;

} // namespace

utc_time virtual_time::utc() const
{
    return start_of_simulations + (now_ - start_of_now);
}

awaitable<void> virtual_time::sleep_until(instant at)
{
    auto const place = reserve(at);
    co_await rest(place, nullptr, manner::cancellable);
}

virtual_time::ticket virtual_time::reserve(instant at)
{
    return {std::max(at, now_), ++arrivals_};
}

awaitable<void> virtual_time::rest(ticket place, life const* whose, manner how)
{
    auto fall_asleep = [this, place, whose, how](auto handler) {
        auto cancel = asio::get_associated_cancellation_slot(handler);
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        auto call = [shared](error_code why) { std::move (*shared)(why); };
        auto const now_at = std::make_shared<ticket>(place);
        auto const mine =
            sleepers_.emplace(place, sleeper{whose, how == manner::stubborn, std::move(call), now_at}).first;
        if (whose != nullptr && whose->over)
            wake(mine, asio::error::operation_aborted);
        else if (how == manner::cancellable && cancel.is_connected())
            cancel.assign([this, now_at](asio::cancellation_type) {
                if (auto const found = sleepers_.find(*now_at); found != sleepers_.end())
                    wake(found, asio::error::operation_aborted);
            });
    };
    co_await asio::async_initiate<asio::use_awaitable_t<> const, void(error_code)>(fall_asleep, asio::use_awaitable);
}

awaitable<void> virtual_time::rest_while_frozen(life const& whose, manner how)
{
    while (now_ < whose.frozen_until) {
        auto const place = reserve(whose.frozen_until);
        co_await rest(place, &whose, how);
    }
}

void virtual_time::rouse(ticket place)
{
    if (auto const found = sleepers_.find(place); found != sleepers_.end())
        call(found);
}

// What is due in a process that stands still comes when it goes on, in the order in which it was due.
void virtual_time::call(sleepers::iterator who)
{
    auto const& what = who->second;
    if (what.stubborn || what.whose == nullptr || now_ >= what.whose->frozen_until)
        return wake(who, {});
    auto later = sleepers_.extract(who);
    later.key() = *later.mapped().place = reserve(later.mapped().whose->frozen_until);
    sleepers_.insert(std::move(later));
}

void virtual_time::end(life& whose)
{
    whose.over = true;
    for (auto next = sleepers_.begin(); next != sleepers_.end();) {
        auto const current = next++;
        if (current->second.whose == &whose)
            wake(current, asio::error::operation_aborted);
    }
}

void virtual_time::wake(sleepers::iterator who, error_code why)
{
    auto call = std::move(who->second.wake);
    sleepers_.erase(who);
    asio::post(loop_, [call = std::move(call), why] { call(why); });
}

bool virtual_time::wake_next(instant limit)
{
    if (sleepers_.empty() || sleepers_.begin()->first.at > limit)
        return false;
    now_ = std::max(now_, sleepers_.begin()->first.at);
    call(sleepers_.begin());
    return true;
}

bool virtual_time::poll(std::function<bool()> const* condition)
{
    loop_.restart();
    for (std::uint64_t handlers = 0; loop_.poll_one() > 0; ++handlers) {
        if (handlers > patience)
            throw std::logic_error("the simulated time stands still: something loops without waiting");
        if (look_)
            look_();
        if (condition != nullptr && (*condition)())
            return true;
    }
    return false;
}

bool virtual_time::run(instant limit, std::function<bool()> const* condition)
{
    if (condition != nullptr && (*condition)())
        return true;
    do {
        if (poll(condition))
            return true;
        at_rest_ = true;
        if (look_)
            look_();
        at_rest_ = false;
    } while (wake_next(limit));
    now_ = limit;
    at_rest_ = true;
    if (look_)
        look_();
    at_rest_ = false;
    return condition != nullptr && (*condition)();
}

void virtual_time::run_for(duration span)
{
    run(now_ + span, nullptr);
}

bool virtual_time::run_until(std::function<bool()> const& condition, duration limit)
{
    return run(now_ + limit, &condition);
}

void virtual_time::settle()
{
    poll(nullptr);
}

void bell::ring()
{
    rung_ = true;
    if (waiter_)
        time_.rouse(*waiter_);
}

awaitable<bool> bell::wait_until(instant at, life const* whose, virtual_time::manner how)
{
    if (!rung_) {
        waiter_ = time_.reserve(at);
        co_await time_.rest(*waiter_, whose, how);
        waiter_.reset();
    }
    co_return std::exchange(rung_, false);
}

} // namespace baton::sim
