#pragma once

#include "locks/core/backend.hpp"
#include "locks/core/lock_holder.hpp"
#include "locks/core/open_calls.hpp"
#include "locks/core/store_loop.hpp"
#include "locks/include/baton/lock/store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace baton::lock {

// The state behind a store. Its locks refer to it weakly and fail once it is closed. Any thread except the loop's may
// call the functions that wait.
class store_core : public std::enable_shared_from_this<store_core> {
public:
    store_core(std::string const& url, store_options const& options);
    ~store_core();

    void close();
    void create_tables();
    std::size_t reap(duration age);
    std::vector<kind_metrics> metrics();

    // The kind of lock that the server gives if the caller does not choose one.
    std::string const& default_kind() const { return default_kind_; }
    bool has(std::string const& kind) const { return kinds_.contains(kind); }
    // Throws std::invalid_argument if the store has no such kind.
    std::shared_ptr<lock_holder> make(std::string const& kind, std::string name, lock_options options,
                                      lock_share share);
    bool acquire(std::shared_ptr<lock_holder> holder, duration span);
    release_result release(std::shared_ptr<lock_holder> holder);

    // These do not wait. `done` runs on the loop.
    void start_acquire(std::shared_ptr<lock_holder> holder, duration span, std::stop_token stop,
                       std::function<void(std::exception_ptr, bool)> done);
    void start_release(std::shared_ptr<lock_holder> holder, std::function<void(release_result)> done);
    // For a lock object that is destroyed while it holds the lock.
    void release_in_background(std::shared_ptr<held_lock> held);

private:
    struct kind_entry;

    awaitable<void> end_all();
    static awaitable<bool> acquire_on_loop(std::shared_ptr<lock_holder> holder, instant until, std::stop_token stop,
                                           std::optional<sent_try> begun = {});
    static awaitable<release_result> release_held(std::shared_ptr<lock_holder> holder);
    awaitable<std::vector<kind_metrics>> read_metrics();
    instant after(duration span) const;
    // Throws lock_errc::misuse on the loop, where a wait would never end.
    void refuse_loop();
    template <class Result>
    Result wait(awaitable<Result> part);
    template <class Result>
    Result wait_within(open_calls::call const& open, awaitable<Result> part);

    system_time time_;
    shared_random random_;
    store_loop loop_;
    std::stop_source closing_;
    store_context context_;
    open_calls calls_;
    std::unique_ptr<backend> backend_;
    std::string default_kind_;
    std::map<std::string, std::unique_ptr<kind_entry>> kinds_;
};

} // namespace baton::lock
