#pragma once
// What a store is made of. Its locks refer to it weakly, and can do nothing any more once it is closed.

#include "libs/base/loop_thread.hpp"
#include "libs/base/task_group.hpp"
#include "locks/core/backend.hpp"
#include "locks/core/lock_holder.hpp"
#include "locks/include/baton/lock/store.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace baton::lock {

class store_core : public std::enable_shared_from_this<store_core> {
public:
    store_core(std::string const& url, store_options const& how);
    ~store_core();

    // Any thread but the loop's, as everything that waits.
    void close();
    void create_tables();
    std::size_t reap(duration age);
    std::vector<kind_metrics> metrics();

    bool has(std::string const& kind) const { return kinds_.contains(kind); }
    // Throws std::invalid_argument where the store has none such.
    std::shared_ptr<lock_holder> make(std::string const& kind, std::string name, lock_options options,
                                      lock_share of = {});
    bool acquire(std::shared_ptr<lock_holder> by, duration span);
    release_result release(std::shared_ptr<lock_holder> by);

    // Any thread. `done` is called on the loop.
    void start_acquire(std::shared_ptr<lock_holder> by, duration span, std::stop_token stop,
                       std::function<void(std::exception_ptr, bool)> done);
    void start_release(std::shared_ptr<lock_holder> by, std::function<void(release_result)> done);
    // What goes away while it is held is released behind its owner's back.
    void let_go(std::shared_ptr<held_lock> held);

private:
    struct kind_entry;
    class call;

    awaitable<void> live();
    awaitable<void> end_all();
    static awaitable<bool> acquire_on_loop(std::shared_ptr<lock_holder> by, instant until, std::stop_token stop,
                                           std::optional<sent_try> begun = {});
    static awaitable<release_result> release_held(std::shared_ptr<lock_holder> by);
    awaitable<std::vector<kind_metrics>> read_metrics();
    instant after(duration span) const;
    // Throws misuse where that cannot wait.
    void refuse_loop() const;
    template <class Result>
    Result wait(awaitable<Result> part);
    template <class Result>
    Result wait_within(call const& open, awaitable<Result> part);

    system_time time_;
    shared_random random_;
    std::string incarnation_;
    std::string label_;
    loop_thread loop_;
    task_group beside_;
    post_queue posts_;
    std::stop_source closing_;
    waker stop_;
    std::mutex mutex_; // of what follows
    std::condition_variable changed_;
    std::size_t calls_ = 0; // in progress
    bool closed_ = false;

    std::unique_ptr<backend> backend_;
    std::map<std::string, std::unique_ptr<kind_entry>> kinds_;
    std::future<void> ended_;
};

} // namespace baton::lock
