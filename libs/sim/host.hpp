#pragma once
// A simulated machine with one process and its own clocks.

#include "libs/base/random.hpp"
#include "libs/sim/environment.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

// The difference between a host's clocks and the simulated time.
struct clock_error {
    duration boot{}; // added to now()
    duration wall{}; // added to utc()
    double rate = 0; // drift of the boot clock in seconds per second, for example 1e-4
};

// The clocks of one host. Sleeps end when the host's process dies and are delayed while it is frozen.
class skewed_time final : public time_source {
public:
    skewed_time(virtual_time& shared, life const& owner, clock_error error)
        : shared_(shared), owner_(owner), error_(error), origin_(shared.now())
    {}

    instant now() const override;
    utc_time utc() const override;
    awaitable<void> sleep_until(instant at) override;

    void step_wall(duration by) { error_.wall += by; }

private:
    virtual_time& shared_;
    life const& owner_;
    clock_error error_;
    instant origin_;
};

// A machine with one process that can be killed at any instant. All operations of the process on its seams (this host's
// time, databases and HTTP clients) then end with operation_aborted, and so do later ones: a dead host has no further
// effect, but its requests that are under way go on. The coroutines unwind without simulated time passing. The objects
// that they refer to must live until `running()` is 0, so keep them until the simulation has settled.
class host {
public:
    host(std::string name, environment env, std::uint64_t seed, clock_error error = {});

    std::string const& name() const { return name_; }
    skewed_time& time() { return time_; }
    random_source& random() { return random_; }
    virtual_time& shared() { return env_.time; }
    life const& span() const { return life_; }
    bool alive() const { return !life_.over; }
    instant frozen_until() const { return life_.frozen_until; }
    bool frozen() const { return env_.time.now() < life_.frozen_until; }

    // Runs a coroutine of the process. An exception other than operation_aborted leaves virtual_time::run_for() if the
    // host is alive.
    void spawn(awaitable<void> part);
    void spawn(awaitable<void> part, std::function<void()> ended);

    std::size_t running() const { return signals_.size(); }

    // Calls `function` when the host is killed, before its coroutines unwind: the clean-up that its kernel does.
    void when_killed(std::function<void()> function) { on_kill_.push_back(std::move(function)); }

    // SIGKILL. Must not be called by a coroutine of the host itself.
    void kill();

    // SIGSTOP, and SIGCONT after `span`. Its clocks go on, and so do its requests. Timers and messages that become due
    // meanwhile are delivered together when it continues.
    void freeze_for(duration span);
    // Waits until the host is not frozen.
    awaitable<void> thaw();

    // Calls the function in the process, in the order of the calls: later if the host is frozen, and if it is dead too,
    // because a coroutine of another host that works with this one may wait for it while it unwinds.
    void post(std::function<void()> function);

private:
    awaitable<void> deliver();

    std::string name_;
    environment env_;
    life life_;
    skewed_time time_;
    seeded_random random_;
    std::list<std::shared_ptr<asio::cancellation_signal>> signals_; // one for each running coroutine
    std::vector<std::function<void()>> on_kill_;
    std::deque<std::function<void()>> posted_;
    bool delivering_ = false;
};

} // namespace baton::sim
