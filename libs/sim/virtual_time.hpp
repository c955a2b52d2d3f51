#pragma once

#include "libs/base/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace baton::sim {

// The span of a simulated process. What waits in its name ends with it, and while it stands still what would wake it
// comes later.
struct life {
    bool over = false;
    instant frozen_until{};
};

// Time that moves only when the simulation says so. Sleepers wake in the order of their deadlines, ties in the order in
// which they went to sleep, so a run is a pure function of its seed. Drives one io_context: everything that is ready
// runs, then the time jumps to the next deadline. Destroy it before the loop.
class virtual_time final : public time_source {
public:
    explicit virtual_time(asio::io_context& loop) : loop_(loop) {}

    instant now() const override { return now_; }
    utc_time utc() const override; // the true time: a second is a second, from 2026-03-01T00:00:00Z on
    awaitable<void> sleep_until(instant at) override;

    // A place among the sleepers; in the past means now.
    struct ticket {
        instant at;
        std::uint64_t number = 0;
        friend auto operator<=>(ticket const&, ticket const&) = default;
    };
    ticket reserve(instant at);

    enum class manner { cancellable, stubborn };

    // Sleeps at a place. Ends with operation_aborted when `whose` life is over or ends, or, unless stubborn, when it is
    // cancelled. Unless stubborn, it lasts at least until that life goes on.
    awaitable<void> rest(ticket place, life const* whose, manner how);

    // Rests for as long as `whose` stands still; ends like a rest.
    awaitable<void> rest_while_frozen(life const& whose, manner how);

    void rouse(ticket place); // wakes it before its time; nothing happens when nobody sleeps there

    void end(life& whose); // it is over, and all that rest in its name wake with operation_aborted

    // Called whenever anything may have changed: after each handler. For invariants that must always hold.
    void observe(std::function<void()> look) { look_ = std::move(look); }
    // Nothing is left to do at this instant. For what must hold once a change has been carried through.
    bool at_rest() const { return at_rest_; }

    void run_for(duration span);
    bool run_until(std::function<bool()> const& condition, duration limit); // false when `limit` passed before it held
    void settle();                                                          // what is ready now, and nothing else

private:
    struct sleeper {
        life const* whose = nullptr;
        bool stubborn = false;
        std::function<void(error_code)> wake;
        std::shared_ptr<ticket> place; // where it is now
    };
    using sleepers = std::map<ticket, sleeper>;

    void wake(sleepers::iterator who, error_code why);
    void call(sleepers::iterator who);
    bool wake_next(instant limit);
    bool poll(std::function<bool()> const* condition);
    bool run(instant limit, std::function<bool()> const* condition);

    asio::io_context& loop_;
    instant now_{1'000s}; // not 0, which stands for "never" in places
    std::uint64_t arrivals_ = 0;
    sleepers sleepers_;
    std::function<void()> look_;
    bool at_rest_ = false;
};

// Rung by one coroutine, awaited by one other; a ring while nobody waits is remembered.
class bell {
public:
    explicit bell(virtual_time& time) : time_(time) {}

    void ring();
    // True when rung, false at `at`.
    awaitable<bool> wait_until(instant at, life const* whose, virtual_time::manner how);

private:
    virtual_time& time_;
    std::optional<virtual_time::ticket> waiter_;
    bool rung_ = false;
};

} // namespace baton::sim
