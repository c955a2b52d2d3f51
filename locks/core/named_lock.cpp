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
            return "the lock was lost and is not unlocked yet";
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

std::system_error store_closed()
{
    return std::system_error(make_error_code(lock_errc::misuse), "the store of the lock is closed");
}

void report_unlock_failure(std::string const& name, std::exception const& failure)
{
    log::error("lock", "unlocking failed, returning unknown to the caller",
               {log::reason(failure.what()), {"name", name}});
}

} // namespace

std::error_category const& lock_category() noexcept
{
    static category const known;
    return known;
}

std::error_code make_error_code(lock_errc code) noexcept
{
    return {static_cast<int>(code), lock_category()};
}

named_lock::named_lock(std::weak_ptr<store_core> core, std::shared_ptr<lock_holder> holder)
    : core_(std::move(core)), holder_(std::move(holder))
{}

named_lock::named_lock(named_lock&&) noexcept = default;

named_lock& named_lock::operator=(named_lock&& other) noexcept
{
    if (this != &other) {
        release_in_background();
        core_ = std::move(other.core_);
        holder_ = std::move(other.holder_);
    }
    return *this;
}

named_lock::~named_lock()
{
    release_in_background();
}

void named_lock::release_in_background() noexcept
{
    auto const core = core_.lock();
    auto const held = holder_ ? holder_->current() : nullptr;
    if (!core || !held)
        return;
    try {
        core->release_in_background(held);
    } catch (std::system_error const&) {
        // The store is closing and releases all held locks.
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
    auto const core = core_.lock();
    if (!core)
        throw store_closed();
    return core->acquire(holder_, span);
}

release_result named_lock::unlock() noexcept
{
    try {
        auto const core = core_.lock();
        if (!core)
            throw store_closed();
        return core->release(holder_);
    } catch (std::exception const& failure) {
        report_unlock_failure(name(), failure);
        return release_result::unknown;
    }
}

std::uint64_t named_lock::token() const noexcept
{
    auto const held = holder_->current();
    return held ? static_cast<std::uint64_t>(held->token()) : 0;
}

std::stop_token named_lock::lost() const noexcept
{
    auto const held = holder_->current();
    return held ? held->lost() : requested_token();
}

std::chrono::microseconds named_lock::remaining() const noexcept
{
    auto const held = holder_->current();
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
    return holder_->name();
}

guarantee named_lock::level() const noexcept
{
    return holder_->level();
}

void named_lock::start_lock(std::chrono::microseconds span, std::stop_token stop,
                            std::function<void(std::exception_ptr, bool)> done)
{
    // An initiating function must not throw into the loop of the coroutine that awaits it.
    try {
        auto const core = core_.lock();
        if (!core)
            throw store_closed();
        core->start_acquire(holder_, span, std::move(stop), done);
    } catch (std::system_error const&) {
        done(std::current_exception(), false);
    }
}

void named_lock::start_unlock(std::function<void(release_result)> done)
{
    try {
        auto const core = core_.lock();
        if (!core)
            throw store_closed();
        core->start_release(holder_, done);
    } catch (std::system_error const& failure) {
        report_unlock_failure(name(), failure);
        done(release_result::unknown);
    }
}

} // namespace baton::lock
