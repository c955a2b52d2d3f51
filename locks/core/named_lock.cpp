#include "locks/include/baton/lock/named_lock.hpp"

#include "libs/base/log.hpp"
#include "locks/core/store_core.hpp"

namespace baton::lock {

namespace {

class category final : public std::error_category {
public:
    char const* name() const noexcept override { return "baton.lock"; }
    std::string message(int value) const override
    {
        switch (static_cast<lock_errc>(value)) {
        case lock_errc::unavailable:
            return "the store does not answer";
        case lock_errc::cancelled:
            return "the wait was cancelled";
        case lock_errc::lost:
            return "it was lost and is not unlocked yet";
        case lock_errc::misuse:
            return "misuse";
        }
        return "unknown";
    }
};

system_time const& host_time()
{
    static system_time const time;
    return time;
}

std::stop_token requested_token()
{
    std::stop_source ended;
    ended.request_stop();
    return ended.get_token();
}

std::system_error closed()
{
    return std::system_error(make_error_code(lock_errc::misuse), "the store of the lock is closed");
}

} // namespace

std::error_category const& lock_category() noexcept
{
    static category const known;
    return known;
}

std::error_code make_error_code(lock_errc why) noexcept
{
    return {static_cast<int>(why), lock_category()};
}

named_lock::named_lock(std::weak_ptr<store_core> of, std::shared_ptr<lock_holder> state)
    : of_(std::move(of)), state_(std::move(state))
{}

named_lock::named_lock(named_lock&&) noexcept = default;

named_lock& named_lock::operator=(named_lock&& other) noexcept
{
    if (this != &other) {
        let_go();
        of_ = std::move(other.of_);
        state_ = std::move(other.state_);
    }
    return *this;
}

named_lock::~named_lock()
{
    let_go();
}

void named_lock::let_go() noexcept
{
    auto const in = of_.lock();
    auto const held = state_ ? state_->current() : nullptr;
    if (!in || !held)
        return;
    try {
        in->let_go(held);
    } catch (std::system_error const&) {
        // The store is being closed, and gives back all that is held.
    }
}

void named_lock::lock()
{
    wait_for(std::chrono::microseconds::max());
}

bool named_lock::try_lock()
{
    return wait_for(std::chrono::microseconds{0});
}

bool named_lock::wait_for(std::chrono::microseconds span)
{
    auto const in = of_.lock();
    if (!in)
        throw closed();
    return in->acquire(state_, span);
}

release_result named_lock::unlock() noexcept
{
    try {
        auto const in = of_.lock();
        if (!in)
            throw closed();
        return in->release(state_);
    } catch (std::exception const& failure) {
        log::old::error("lock {}: not unlocked: {}", name(), failure.what());
        return release_result::unknown;
    }
}

std::uint64_t named_lock::token() const noexcept
{
    auto const held = state_->current();
    return held ? static_cast<std::uint64_t>(held->token()) : 0;
}

std::stop_token named_lock::lost() const noexcept
{
    auto const held = state_->current();
    return held ? held->lost() : requested_token();
}

std::chrono::microseconds named_lock::remaining() const noexcept
{
    auto const held = state_->current();
    if (!held)
        return {};
    return std::max(held->deadline() - host_time().now(), duration{});
}

bool named_lock::valid(std::chrono::microseconds need) const noexcept
{
    return remaining() > need;
}

std::string const& named_lock::name() const noexcept
{
    return state_->name();
}

guarantee named_lock::level() const noexcept
{
    return state_->level();
}

void named_lock::start_lock(std::chrono::microseconds span, std::stop_token stop,
                            std::function<void(std::exception_ptr, bool)> done)
{
    // Told, not thrown: what begins an operation must not throw into the loop of whoever awaits it.
    try {
        auto const in = of_.lock();
        if (!in)
            throw closed();
        in->start_acquire(state_, span, std::move(stop), done);
    } catch (std::system_error const&) {
        done(std::current_exception(), false);
    }
}

void named_lock::start_unlock(std::function<void(release_result)> done)
{
    try {
        auto const in = of_.lock();
        if (!in)
            throw closed();
        in->start_release(state_, done);
    } catch (std::system_error const& failure) {
        log::old::error("lock {}: not unlocked: {}", name(), failure.what());
        done(release_result::unknown);
    }
}

} // namespace baton::lock
