#include "locks/core/open_calls.hpp"

#include "locks/include/baton/lock/types.hpp"

#include <utility>

namespace baton::lock {

open_calls::call::call(open_calls& calls) : calls_(calls)
{
    std::lock_guard const lock(calls_.mutex_);
    if (calls_.closed_)
        throw std::system_error(make_error_code(lock_errc::misuse), "the store is closed");
    ++calls_.count_;
}

open_calls::call::~call()
{
    std::lock_guard const lock(calls_.mutex_);
    --calls_.count_;
    calls_.changed_.notify_all();
}

bool open_calls::close()
{
    std::unique_lock lock(mutex_);
    if (std::exchange(closed_, true))
        return false;
    changed_.wait(lock, [this] { return count_ == 0; });
    return true;
}

} // namespace baton::lock
