#pragma once
// A lock by name that processes on many hosts share; made by a store (store.hpp).
//
//     baton::lock::named_lock stock = locks.record("stock:42");
//     std::unique_lock held(stock, 2s);            // TimedLockable: unique_lock, scoped_lock, std::lock
//     if (held && stock.valid(50ms))
//         deduct(42, stock.token());               // UPDATE ... WHERE id = 42 AND fence <= :token
//
// A lock ends in spite of its holder when the store takes the holder for dead. lost() tells, and valid() never says
// true after the moment from which another may hold it; but nobody can keep a process from standing still between a
// look at valid() and what follows it. Only the token makes that safe, where what is written to compares it.
//
// Any thread may call any function, but for the move. See async.hpp for coroutines.

#include <baton/lock/types.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace baton::lock {

class store_core;
class lock_holder;

class named_lock {
public:
    named_lock(named_lock&&) noexcept;
    named_lock& operator=(named_lock&&) noexcept;
    // What is held is given back, in the background.
    ~named_lock();

    // Waits for as long as it takes, also for a store that is away; it tells that in the log.
    void lock();
    // One look. Throws lock_errc::unavailable when the store does not answer.
    bool try_lock();
    // False when the time is over; throws lock_errc::unavailable when the store did not answer until then.
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
    // Asks the store for two seconds at most, and for one call's limit more. What is not held is not given back:
    // lock_errc::misuse, as a return of `unknown` and a line in the log, since ~unique_lock must not throw.
    release_result unlock() noexcept;

    // The fencing token of what is held; 0 when nothing is, or when the kind has none.
    std::uint64_t token() const noexcept;
    // Requested when what is held is lost or can no longer be proved held. Callbacks run on the library's thread: they
    // must neither block nor call into the lock. Of a lock that is not held: a token that is requested already.
    std::stop_token lost() const noexcept;
    // Whether it is held, and will be for `need` more by this host's clock alone.
    bool valid(std::chrono::microseconds need = {}) const noexcept;
    std::chrono::microseconds remaining() const noexcept; // 0 when it is not held

    std::string const& name() const noexcept;
    guarantee level() const noexcept;

    // For coroutines, defined in async.hpp: `co_await stock.async_lock(boost::asio::use_awaitable)`.
    template <class Token>
    auto async_lock(Token&& token);
    template <class Token>
    auto async_try_lock_for(std::chrono::microseconds span, Token&& token);
    template <class Token>
    auto async_unlock(Token&& token);

    // What async.hpp is made of. `done` is called on the library's thread; `stop` ends the wait.
    void start_lock(std::chrono::microseconds span, std::stop_token stop,
                    std::function<void(std::exception_ptr, bool)> done);
    void start_unlock(std::function<void(release_result)> done);

private:
    friend class store;
    named_lock(std::weak_ptr<store_core> of, std::shared_ptr<lock_holder> state);

    bool wait_for(std::chrono::microseconds span);
    void let_go() noexcept;

    std::weak_ptr<store_core> of_;
    std::shared_ptr<lock_holder> state_;
};

} // namespace baton::lock
