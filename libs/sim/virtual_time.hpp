#pragma once
// Simulated time.

#include "libs/base/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>

namespace baton::sim {

// The lifetime of a simulated process. Its sleeps end when it ends, and are prolonged while it is frozen.
struct life {
    bool over = false;
    instant frozen_until{};
};

// Drives one io_context: runs every handler that is ready, then moves the time to the next deadline. Sleepers wake in
// the order of their deadlines, and for equal deadlines in the order in which they started to sleep, so a run is a pure
// function of its seed. Destroy it before the loop.
class virtual_time final : public time_source {
public:
    explicit virtual_time(asio::io_context& loop) : loop_(loop) {}

    instant now() const override { return now_; }
    utc_time utc() const override; // starts at 2026-03-01T00:00:00Z and runs at the rate of now()
    awaitable<void> sleep_until(instant at) override;

    // A position in the order of sleepers. A time in the past means now.
    struct ticket {
        instant at;
        std::uint64_t number = 0;
        friend auto operator<=>(ticket const&, ticket const&) = default;
    };
    ticket reserve(instant at);

    enum class sleep_kind { cancellable, uncancellable };

    // Sleeps until the ticket's time. Ends with operation_aborted when the life of `owner` (which may be null) has
    // ended or ends. A cancellable sleep also ends so when it is cancelled, and lasts at least until `owner` is not
    // frozen.
    awaitable<void> sleep_at(ticket place, life const* owner, sleep_kind kind);

    // Sleeps while `owner` is frozen; ends like sleep_at().
    awaitable<void> sleep_while_frozen(life const& owner, sleep_kind kind);

    void wake_early(ticket place); // wakes the sleeper with this ticket, if any, before its time

    void end(life& owner); // ends the life, and all its sleeps with operation_aborted

    // `look` is called after each handler, to check invariants that must always hold.
    void observe(std::function<void()> look) { observer_ = std::move(look); }
    // True if no handler is ready at this instant, for invariants that hold only between changes.
    bool at_rest() const { return at_rest_; }

    void run_for(duration span);
    bool run_until(std::function<bool()> const& condition, duration limit); // false if `limit` passed first
    void settle();                                                          // runs the handlers that are ready now

private:
    struct sleeper {
        life const* owner = nullptr;
        bool uncancellable = false;
        std::function<void(error_code)> wake;
        std::shared_ptr<ticket> place; // its current key in `sleepers`
    };
    using sleepers = std::map<ticket, sleeper>;

    void wake(sleepers::iterator sleeping, error_code why);
    void forget(sleeper const& sleeping);
    void call(sleepers::iterator sleeping);
    bool wake_next(instant limit);
    bool poll(std::function<bool()> const* condition);
    bool run(instant limit, std::function<bool()> const* condition);

    asio::io_context& loop_;
    instant now_{1'000s}; // not 0, which means "never" in some places
    std::uint64_t arrivals_ = 0;
    sleepers sleepers_;
    std::unordered_map<life const*, std::set<ticket>> owned_; // keys of `sleepers_`, so that end() walks only its own
    std::function<void()> observer_;
    bool at_rest_ = false;
};

// An auto-reset event for one waiting coroutine. A set() without a waiter ends the next wait at once.
class event {
public:
    explicit event(virtual_time& time) : time_(time) {}

    void set();
    // True if it was set, false if `at` came first.
    awaitable<bool> wait_until(instant at, life const* owner, virtual_time::sleep_kind kind);

private:
    virtual_time& time_;
    std::optional<virtual_time::ticket> waiter_;
    bool is_set_ = false;
};

} // namespace baton::sim
