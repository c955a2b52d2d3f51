#pragma once

#include "tests/simulation/sqlite_process.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace baton::simulation {

// Three processes of one machine, what befalls them, and what was seen of it. Which of them use the file's lock follows
// from the seed: mostly all, in every fourth none, in every fourth some.
class sqlite_world {
public:
    explicit sqlite_world(std::uint64_t seed, file_flaw what = file_flaw::none);
    ~sqlite_world();

    // `faulty` of faults, then healing, then a while of peace, at whose end the master is killed.
    file_report play(duration faulty);

    // For scenes.
    sim::stage& stage() { return stage_; }
    machine& computer() { return machine_; }
    file_report const& seen() const { return seen_; }
    process* master();
    void pass(duration span);
    bool led_within(duration span);
    void end_process(process& which, bool cleanly = false);
    void reboot();
    void step_wall(duration by);

private:
    static sim::file_faults usual_faults();
    void start(std::size_t which);
    void boot_up();
    void look();
    awaitable<void> harm(instant until);
    void harm_once();
    void harm_process(std::uint64_t kind);
    void harm_machine(std::uint64_t kind);
    void last_gasp();
    void stop(process* which);
    void heal();
    void judge_deeds();
    bool all_guarded() const;
    process* some();
    std::size_t place_of(process const& which) const;
    void later(duration after, std::function<void()> what);
    duration between(duration least, duration most);
    duration around_a_limit();

    sim::stage stage_;
    machine machine_;
    file_flaw flaw_;
    std::uint64_t guarding_;
    sim::file_faults weather_; // as it is outside storms
    file_report seen_;
    std::int64_t last_epoch_ = 0;
    std::vector<std::unique_ptr<process>> all_; // the dead too, until they have unwound
    std::vector<process*> current_;             // by number; none while it is down
    duration stop_next_writer_{};
    int boots_ = 0;
    instant looked_at_{};
    bool was_led_ = false;
};

} // namespace baton::simulation
