#include "libs/base/loop_meter.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <ctime>
#include <mutex>
#include <optional>
#include <thread>

namespace baton {

namespace {

constexpr duration long_step = 100ms;     // is logged
constexpr duration between_samples = 1ms; // of the processor time, which costs a system call
constexpr char no_part[] = "other";       // of a step in which no named part went on

// The step that runs on this thread.
struct present_step {
    char const* part = nullptr;
    std::optional<instant> began; // when the first part in it went on
};
thread_local present_step present;

duration processor_time()
{
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return duration{std::int64_t{at.tv_sec} * 1'000'000 + at.tv_nsec / 1'000};
}

void log_long(std::string const& loop, char const* part, duration cpu, duration wall)
{
    log::fields const fields{{"loop", loop}, {"part", part}, {"cpu_ms", cpu / 1ms}, {"wall_ms", wall / 1ms}};
    if (cpu >= long_step)
        log::warn("loop", "a step took long, all other work of this loop waited", fields);
    else
        log::info("loop", "a step took long without using the processor, all other work of this loop waited", fields);
}

} // namespace

void longest_step::rotate(instant now)
{
    if (now - since_ < span)
        return;
    minutes_[1] = now - since_ < 2 * span ? std::move(minutes_[0]) : loop_step{};
    minutes_[0] = {};
    since_ = now;
}

void longest_step::note(instant now, duration cpu, duration wall, std::string_view part)
{
    rotate(now);
    auto& most = minutes_[0];
    most.wall = std::max(most.wall, wall);
    if (cpu > most.cpu || most.part.empty()) {
        most.cpu = cpu;
        most.part = part;
    }
}

loop_step longest_step::read(instant now)
{
    rotate(now);
    auto out = minutes_[0].cpu >= minutes_[1].cpu ? minutes_[0] : minutes_[1];
    out.wall = std::max(minutes_[0].wall, minutes_[1].wall);
    return out;
}

struct measured_loop::state {
    explicit state(std::string own_name) : name(std::move(own_name)) {}

    void end_step();

    std::string name;
    asio::io_context loop{1};
    system_time time;
    duration cpu_sample{}; // the processor time of the loop's thread at `sampled_at`
    instant sampled_at{};
    std::mutex mutex; // guards `longest`
    longest_step longest;
};

// The processor time is read at most once a millisecond, and always at the end of a step that took longer. A step
// therefore seems longer than it was by less than that.
void measured_loop::state::end_step()
{
    auto const step = std::exchange(present, {});
    auto const now = time.now();
    if (now - sampled_at < between_samples)
        return;
    auto const cpu_now = processor_time();
    auto const cpu = cpu_now - std::exchange(cpu_sample, cpu_now);
    sampled_at = now;
    auto const wall = step.began ? std::max(now - *step.began, cpu) : cpu;
    char const* const part = step.part == nullptr ? no_part : step.part;
    if (wall >= long_step)
        log_long(name, part, cpu, wall);
    std::lock_guard const lock(mutex);
    longest.note(now, cpu, wall, part);
}

measured_loop::measured_loop(std::string name) : state_(std::make_unique<state>(std::move(name))) {}

measured_loop::~measured_loop() = default;

asio::io_context& measured_loop::context()
{
    return state_->loop;
}

asio::any_io_executor measured_loop::executor()
{
    return state_->loop.get_executor();
}

void measured_loop::run()
{
    state_->cpu_sample = processor_time();
    state_->sampled_at = state_->time.now();
    while (state_->loop.run_one() != 0)
        state_->end_step();
}

std::string const& measured_loop::name() const
{
    return state_->name;
}

loop_step measured_loop::longest() const
{
    std::lock_guard const lock(state_->mutex);
    return state_->longest.read(state_->time.now());
}

struct measured_thread::state {
    explicit state(std::string name) : loop(std::move(name)) {}

    measured_loop loop;
    asio::executor_work_guard<asio::io_context::executor_type> open{loop.context().get_executor()};
    std::thread thread{[this] { loop.run(); }};
};

measured_thread::measured_thread(std::string name) : state_(std::make_unique<state>(std::move(name))) {}

measured_thread::~measured_thread()
{
    end();
}

measured_loop& measured_thread::loop()
{
    return state_->loop;
}

void measured_thread::end()
{
    state_->loop.context().stop();
    if (state_->thread.joinable())
        state_->thread.join();
}

void enter_part(char const* name)
{
    present.part = name;
}

kept_part::kept_part() : name_(present.part) {}

kept_part::~kept_part()
{
    present.part = name_;
    if (!present.began)
        present.began = system_time().now();
}

awaitable<void> named(char const* name, awaitable<void> part)
{
    enter_part(name);
    co_await std::move(part);
}

} // namespace baton
