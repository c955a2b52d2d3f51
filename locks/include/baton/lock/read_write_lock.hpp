#pragma once
// A lock that many may hold for reading, or one for writing; made by a store (store.hpp).
//
//     baton::lock::read_write_lock prices = locks.read_write("prices");
//     std::shared_lock reading(prices, 2s);        // SharedTimedLockable: shared_lock and unique_lock
//     std::unique_lock writing(prices, 2s);
//
// An object is one holder, as with every lock: threads that share one take turns, also to read, unless it is reentrant.
// Whoever is to read beside others has an object of its own. Who reads and asks to write as well waits for itself; and
// who reads and asks once more through another object may wait for a writer, who waits for the first.

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

    // Of what is held, as of a named_lock. Tokens rise over readers and writers alike; what is written to needs to
    // compare those of writers alone.
    std::uint64_t token() const noexcept { return held().token(); }
    std::stop_token lost() const noexcept { return held().lost(); }
    bool valid(std::chrono::microseconds need = {}) const noexcept { return held().valid(need); }
    std::chrono::microseconds remaining() const noexcept { return held().remaining(); }

    std::string const& name() const noexcept { return writer_.name(); }
    guarantee level() const noexcept { return writer_.level(); }

    // Each by itself, for coroutines (async.hpp): `co_await prices.reader().async_lock(...)`.
    named_lock& reader() noexcept { return reader_; }
    named_lock& writer() noexcept { return writer_; }

private:
    friend class store;
    read_write_lock(named_lock reader, named_lock writer) : reader_(std::move(reader)), writer_(std::move(writer)) {}

    // Every kind that can be shared has tokens.
    named_lock const& held() const noexcept { return writer_.token() != 0 ? writer_ : reader_; }

    named_lock reader_;
    named_lock writer_;
};

} // namespace baton::lock
