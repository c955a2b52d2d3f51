#pragma once
// A lock by name that processes on many hosts share. A store makes it (store.hpp).
//
//     baton::lock::named_lock stock = locks.lock("stock:42");
//     std::unique_lock held(stock, 2s);            // TimedLockable: unique_lock, scoped_lock, std::lock
//     if (held && stock.valid(50ms))
//         deduct(42, stock.token());               // UPDATE ... WHERE id = 42 AND fence <= :token
//
// The store ends a lock whose holder it takes for dead. lost() reports that, and valid() is false from a moment before
// another holder can have the lock. A process may still stop between valid() and its next instruction. Only the token
// makes that safe, if the resource compares it.
//
// An object is one holder. Any thread may call any function except the move operations. async.hpp serves coroutines.
// Functions throw std::system_error with a lock_errc.

#include <baton/lock/types.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace baton::lock {

class lock_holder;
class store_core;

class named_lock {
public:
    named_lock(named_lock&&) noexcept;
    named_lock& operator=(named_lock&&) noexcept;
    // Releases a held lock in the background.
    ~named_lock();

    // Waits without a limit, also while the store is unavailable, which it logs.
    void lock();
    // One try. Throws lock_errc::unavailable if the store does not answer.
    bool try_lock();
    // False if the time ended; throws lock_errc::unavailable if the store did not answer at the end of it.
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> const& span)
    {
        return wait_for(std::chrono::ceil<std::chrono::microseconds>(span));
    }
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> const& at)
    {
        return try_lock_for(at - Clock::now());
    }
    // Tries for two seconds plus the store's limit at most. Never throws, because ~unique_lock must not: misuse returns
    // `unknown` and is logged.
    release_result unlock() noexcept;

    // The fencing token of the hold; 0 without a hold, or if the kind of lock has no tokens.
    std::uint64_t token() const noexcept;
    // Requested when the hold is lost or can no longer be proved; requested already without a hold. Callbacks run on
    // the library's thread: they must not block or call into the lock.
    std::stop_token lost() const noexcept;
    // True if the lock is held and will be for `need` more, by this host's clock alone.
    bool valid(std::chrono::microseconds need = {}) const noexcept;
    std::chrono::microseconds remaining() const noexcept; // 0 without a hold

    std::string const& name() const noexcept;
    guarantee level() const noexcept;

    // For coroutines, defined in async.hpp: `co_await stock.async_lock(boost::asio::use_awaitable)`.
    template <class Token>
    auto async_lock(Token&& token);
    template <class Token>
    auto async_try_lock_for(std::chrono::microseconds span, Token&& token);
    template <class Token>
    auto async_unlock(Token&& token);

    // The base of async.hpp. `done` runs on the library's thread; `stop` ends the wait.
    void start_lock(std::chrono::microseconds span, std::stop_token stop,
                    std::function<void(std::exception_ptr, bool)> done);
    void start_unlock(std::function<void(release_result)> done);

private:
    friend class store;
    named_lock(std::weak_ptr<store_core> core, std::shared_ptr<lock_holder> holder);

    bool wait_for(std::chrono::microseconds span);
    void release_in_background() noexcept;

    std::weak_ptr<store_core> core_;
    std::shared_ptr<lock_holder> holder_;
};

} // namespace baton::lock
