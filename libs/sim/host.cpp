#include "libs/sim/host.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace baton::sim {

instant skewed_time::now() const
{
    auto const passed = shared_.now() - origin_;
    return shared_.now() + error_.boot + duration{std::llround(static_cast<double>(passed.count()) * error_.rate)};
}

utc_time skewed_time::utc() const
{
    return shared_.utc() + error_.wall;
}

awaitable<void> skewed_time::sleep_until(instant at)
{
    // Rounding may leave a microsecond, so check the clock again, like the real implementation.
    do {
        auto const left = static_cast<double>(std::max(at - now(), duration::zero()).count());
        auto const place = shared_.reserve(shared_.now() + duration{std::llround(left / (1 + error_.rate))});
        co_await shared_.sleep_at(place, &owner_, virtual_time::sleep_kind::cancellable);
    } while (now() < at);
}

host::host(std::string name, environment env, std::uint64_t seed, clock_error error)
    : name_(std::move(name)), env_(env), time_(env.time, life_, error), random_(seed)
{}

void host::spawn(awaitable<void> part)
{
    spawn(std::move(part), {});
}

void host::spawn(awaitable<void> part, std::function<void()> ended)
{
    auto const signal = std::make_shared<asio::cancellation_signal>();
    auto const mine = signals_.insert(signals_.end(), signal);
    auto finish = [this, mine, ended = std::move(ended)](std::exception_ptr failure) {
        asio::post(env_.loop, [over = *mine] {}); // keeps the signal alive, because the ending frame refers to its slot
        signals_.erase(mine);
        if (ended)
            ended();
        if (!failure || life_.over)
            return;
        try {
            std::rethrow_exception(failure);
        } catch (boost::system::system_error const& why) {
            if (why.code() != asio::error::operation_aborted)
                throw;
        }
    };
    asio::co_spawn(env_.loop, std::move(part), asio::bind_cancellation_slot(signal->slot(), std::move(finish)));
}

void host::freeze_for(duration span)
{
    if (life_.over)
        return;
    life_.frozen_until = std::max(life_.frozen_until, env_.time.now() + span);
    env_.log.note(fmt::format("{} freezes for {} us", name_, span.count()));
}

awaitable<void> host::thaw()
{
    co_await env_.time.sleep_while_frozen(life_, virtual_time::sleep_kind::uncancellable);
}

void host::post(std::function<void()> function)
{
    posted_.push_back(std::move(function));
    if (!std::exchange(delivering_, true))
        asio::post(env_.loop, [this] { asio::co_spawn(env_.loop, deliver(), asio::detached); });
}

awaitable<void> host::deliver()
{
    while (!posted_.empty()) {
        try {
            co_await thaw();
        } catch (boost::system::system_error const&) {
            // It is dead.
        }
        auto const next = std::move(posted_.front());
        posted_.pop_front();
        next();
    }
    delivering_ = false;
}

void host::kill()
{
    if (life_.over)
        return;
    env_.log.note(name_ + " is killed");
    env_.time.end(life_);
    for (auto const& act : std::exchange(on_kill_, {}))
        act();
    auto const running = signals_;
    for (auto const& signal : running)
        signal->emit(asio::cancellation_type::terminal);
}

} // namespace baton::sim
