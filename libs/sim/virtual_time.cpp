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

// More handlers than this without an advance of the time mean a coroutine that loops without sleeping.
constexpr std::uint64_t max_handlers = 5'000'000;

} // namespace

utc_time virtual_time::utc() const
{
    return start_of_simulations + (now_ - start_of_now);
}

awaitable<void> virtual_time::sleep_until(instant at)
{
    auto const place = reserve(at);
    co_await sleep_at(place, nullptr, sleep_kind::cancellable);
}

virtual_time::ticket virtual_time::reserve(instant at)
{
    return {std::max(at, now_), ++arrivals_};
}

awaitable<void> virtual_time::sleep_at(ticket place, life const* owner, sleep_kind kind)
{
    auto fall_asleep = [this, place, owner, kind](auto handler) {
        auto cancel = asio::get_associated_cancellation_slot(handler);
        auto shared = std::make_shared<decltype(handler)>(std::move(handler));
        auto call = [shared](error_code why) { std::move (*shared)(why); };
        auto const now_at = std::make_shared<ticket>(place);
        auto const mine =
            sleepers_.emplace(place, sleeper{owner, kind == sleep_kind::uncancellable, std::move(call), now_at}).first;
        if (owner != nullptr)
            owned_[owner].insert(place);
        if (owner != nullptr && owner->over)
            wake(mine, asio::error::operation_aborted);
        else if (kind == sleep_kind::cancellable && cancel.is_connected())
            cancel.assign([this, now_at](asio::cancellation_type) {
                if (auto const found = sleepers_.find(*now_at); found != sleepers_.end())
                    wake(found, asio::error::operation_aborted);
            });
    };
    co_await asio::async_initiate<asio::use_awaitable_t<> const, void(error_code)>(fall_asleep, asio::use_awaitable);
}

awaitable<void> virtual_time::sleep_while_frozen(life const& owner, sleep_kind kind)
{
    while (now_ < owner.frozen_until) {
        auto const place = reserve(owner.frozen_until);
        co_await sleep_at(place, &owner, kind);
    }
}

void virtual_time::wake_early(ticket place)
{
    if (auto const found = sleepers_.find(place); found != sleepers_.end())
        call(found);
}

// Wakes a sleeper. In a frozen process the sleep is prolonged to the end of the freeze, keeping the order of deadlines.
void virtual_time::call(sleepers::iterator sleeping)
{
    auto const& sleep = sleeping->second;
    if (sleep.uncancellable || sleep.owner == nullptr || now_ >= sleep.owner->frozen_until)
        return wake(sleeping, {});
    forget(sleep);
    auto later = sleepers_.extract(sleeping);
    auto const* const owner = later.mapped().owner;
    later.key() = *later.mapped().place = reserve(owner->frozen_until);
    owned_[owner].insert(later.key());
    sleepers_.insert(std::move(later));
}

void virtual_time::end(life& owner)
{
    owner.over = true;
    auto const found = owned_.find(&owner);
    if (found == owned_.end())
        return;
    auto const places = found->second; // waking removes them
    for (auto const& place : places)
        wake(sleepers_.find(place), asio::error::operation_aborted);
}

void virtual_time::forget(sleeper const& sleeping)
{
    auto const found = owned_.find(sleeping.owner);
    if (found == owned_.end())
        return;
    found->second.erase(*sleeping.place);
    if (found->second.empty())
        owned_.erase(found);
}

void virtual_time::wake(sleepers::iterator sleeping, error_code why)
{
    auto call = std::move(sleeping->second.wake);
    forget(sleeping->second);
    sleepers_.erase(sleeping);
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
        if (handlers > max_handlers)
            throw std::logic_error("the simulated time does not advance: a coroutine loops without sleeping");
        if (observer_)
            observer_();
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
        if (observer_)
            observer_();
        at_rest_ = false;
    } while (wake_next(limit));
    now_ = limit;
    at_rest_ = true;
    if (observer_)
        observer_();
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

void event::set()
{
    is_set_ = true;
    if (waiter_)
        time_.wake_early(*waiter_);
}

awaitable<bool> event::wait_until(instant at, life const* owner, virtual_time::sleep_kind kind)
{
    if (!is_set_) {
        waiter_ = time_.reserve(at);
        co_await time_.sleep_at(*waiter_, owner, kind);
        waiter_.reset();
    }
    co_return std::exchange(is_set_, false);
}

} // namespace baton::sim
