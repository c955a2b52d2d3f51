#pragma once

#include "libs/base/random.hpp"
#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"

#include <boost/asio/cancellation_signal.hpp>

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace baton::sim {

// How a host's clocks differ from the truth.
struct clock_error {
    duration boot{}; // added to now()
    duration wall{}; // added to utc()
    double rate = 0; // the boot clock gains so many seconds a second: 1e-4
};

// The clocks of one host over the shared time, which sleeps in the name of the host's life.
class skewed_time final : public time_source {
public:
    skewed_time(virtual_time& shared, life const& whose, clock_error error)
        : shared_(shared), whose_(whose), error_(error), origin_(shared.now())
    {}

    instant now() const override;
    utc_time utc() const override;
    awaitable<void> sleep_until(instant at) override;

    void step_wall(duration by) { error_.wall += by; }

private:
    virtual_time& shared_;
    life const& whose_;
    clock_error error_;
    instant origin_;
};

// A machine with one process that can be killed at any instant. What the process awaits on its seams (this host's time,
// databases and HTTP clients) then ends with operation_aborted, and so does everything that it asks of them later: no
// effect leaves a dead host, while requests that were on their way go on. Its coroutines unwind, which takes no time;
// the objects that they refer to must live until `running()` is 0, so keep them until the simulation has settled.
class host {
public:
    host(std::string name, asio::io_context& loop, virtual_time& shared, trace& log, std::uint64_t seed,
         clock_error error = {});

    std::string const& name() const { return name_; }
    skewed_time& time() { return time_; }
    random_source& random() { return random_; }
    virtual_time& shared() { return shared_; }
    life const& span() const { return life_; }
    bool alive() const { return !life_.over; }
    instant frozen_until() const { return life_.frozen_until; }
    bool frozen() const { return shared_.now() < life_.frozen_until; }

    // Runs it as part of the process. What it throws, other than operation_aborted, leaves run_for() of a living host.
    void spawn(awaitable<void> part);
    void spawn(awaitable<void> part, std::function<void()> ended);

    std::size_t running() const { return signals_.size(); }

    // Called once, when the host is killed, before anything of it unwinds: what its kernel does for it.
    void when_killed(std::function<void()> what) { epilogue_.push_back(std::move(what)); }

    // SIGKILL. Not to be called by a coroutine of the host itself.
    void kill();

    // SIGSTOP, and SIGCONT after so long: its clocks go on, and so does what it has asked of others; what falls due and
    // what arrives waits, and comes all at once.
    void freeze_for(duration span);
    // Until it goes on, for what others do with it.
    awaitable<void> thaw();

private:
    std::string name_;
    asio::io_context& loop_;
    virtual_time& shared_;
    trace& log_;
    life life_;
    skewed_time time_;
    seeded_random random_;
    std::list<std::shared_ptr<asio::cancellation_signal>> signals_; // of the coroutines that run
    std::vector<std::function<void()>> epilogue_;
};

} // namespace baton::sim
