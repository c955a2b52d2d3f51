#pragma once

#include "libs/sim/virtual_time.hpp"
#include "tests/unit/trigger/election/scripted_lease.hpp"
#include "trigger/election/elector.hpp"

#include <stdexcept>

namespace baton::test {

struct fixture {
    asio::io_context loop{1};
    sim::virtual_time time{loop};
    seeded_random random{7};
    scripted_lease lease{time};
    trigger::elector vote;
    int terms = 0;
    bool on_duty = false;
    bool ended = false;
    std::string failure; // of the duty, from its first second on; empty: none

    explicit fixture(trigger::election_settings settings = {})
        : vote(settings, {"me", "http://127.0.0.1:1"}, {lease, time, random}, loop.get_executor())
    {}

    void start()
    {
        auto const duty = [this](std::int64_t) { return serve(); };
        asio::co_spawn(loop, vote.run(duty), [this](std::exception_ptr) { ended = true; });
    }

    awaitable<void> serve()
    {
        struct guard {
            bool& flag;
            ~guard() { flag = false; }
        } const leaving{on_duty};
        ++terms;
        on_duty = true;
        for (;;) {
            co_await time.sleep_for(1s);
            if (!failure.empty())
                throw std::logic_error(failure);
        }
    }

    bool active() { return vote.state().at(time.now()) == trigger::standing::active; }
};

} // namespace baton::test
