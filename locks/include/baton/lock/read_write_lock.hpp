#pragma once
// A lock by name that many holders may have for reading, or one for writing. A store makes it (store.hpp).
//
//     baton::lock::read_write_lock prices = locks.read_write("prices");
//     std::shared_lock reading(prices, 2s);        // SharedTimedLockable: shared_lock and unique_lock
//     std::unique_lock writing(prices, 2s);
//
// An object is one holder: threads that share it take turns to read as well, unless it is reentrant. Threads that read
// at the same time need an object each. A reader that also locks for writing waits for itself. A reader that locks for
// reading through a second object may wait for a writer that waits for the first.
//
// Threads and errors are as for named_lock.

#include <baton/lock/named_lock.hpp>

namespace baton::lock {

class read_write_lock {
public:
    void lock() { writer_.lock(); }
    bool try_lock() { return writer_.try_lock(); }
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> const& span)
    {
        return writer_.try_lock_for(span);
    }
    template <class Clock, class Duration>
    bool try_lock_until(std::chrono::time_point<Clock, Duration> const& at)
    {
        return writer_.try_lock_until(at);
    }
    release_result unlock() noexcept { return writer_.unlock(); }

    void lock_shared() { reader_.lock(); }
    bool try_lock_shared() { return reader_.try_lock(); }
    template <class Rep, class Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> const& span)
    {
        return reader_.try_lock_for(span);
    }
    template <class Clock, class Duration>
    bool try_lock_shared_until(std::chrono::time_point<Clock, Duration> const& at)
    {
        return reader_.try_lock_until(at);
    }
    release_result unlock_shared() noexcept { return reader_.unlock(); }

    // The hold, as in named_lock. Tokens rise over readers and writers alike; a resource needs to compare those of
    // writers only.
    std::uint64_t token() const noexcept { return held().token(); }
    std::stop_token lost() const noexcept { return held().lost(); }
    bool valid(std::chrono::microseconds need = {}) const noexcept { return held().valid(need); }
    std::chrono::microseconds remaining() const noexcept { return held().remaining(); }

    std::string const& name() const noexcept { return writer_.name(); }
    guarantee level() const noexcept { return writer_.level(); }

    // The two locks, for coroutines (async.hpp): `co_await prices.reader().async_lock(...)`.
    named_lock& reader() noexcept { return reader_; }
    named_lock& writer() noexcept { return writer_; }

private:
    friend class store;
    read_write_lock(named_lock reader, named_lock writer) : reader_(std::move(reader)), writer_(std::move(writer)) {}

    // Every read/write lock has tokens, so a token tells which of the two is held.
    named_lock const& held() const noexcept { return writer_.token() != 0 ? writer_ : reader_; }

    named_lock reader_;
    named_lock writer_;
};

} // namespace baton::lock
