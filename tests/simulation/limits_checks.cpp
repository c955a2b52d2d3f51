#include "tests/simulation/limits_oracle.hpp"
#include "tests/simulation/limits_replay.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

// The comparisons of the replay with the record, on its way and at the end.

namespace limits_sim {

using namespace std::chrono_literals;

namespace {

constexpr duration in_time = 150ms;
constexpr duration settling = 400ms;           // of a new master
constexpr duration cancels_in_doubt = 1'200ms; // which it is about to send otherwise
constexpr int most_complaints = 12;

} // namespace

void replay::complain(index i, std::string const& what)
{
    if (++complaints_ > most_complaints)
        return;
    auto const& one = seen_.executions[i];
    wrong_ += fmt::format("{}: task {}{} {} of {}, execution {}: {}\n", clock_of(seen_, now_), one.task,
                          one.key.empty() ? "" : " key " + one.key, one.by_hand ? "by hand" : "firing",
                          clock_of(seen_, one.due), one.id, what);
}

// Since when nothing keeps it back; none while something does.
std::optional<utc_time> replay::may_go_since(index i)
{
    bool const replaces = task_of(i).when_full == when_full::replace;
    auto out = std::max(all_[i].since, *led_since_ + (replaces ? cancels_in_doubt : settling));
    for (auto const* each : levels_.above(seen_.executions[i].task)) {
        if (all_[i].fresh && !each->has_slot())
            return std::nullopt;
        out = std::max({out, each->token_at(), all_[i].fresh ? each->freed : utc_time{}});
    }
    return out;
}

// No execution waits although all limits let it go.
void replay::check_idle()
{
    if (!led_since_)
        return;
    for (auto i = line_.begin(); i != line_.end();) {
        auto const since = may_go_since(*i);
        if (!since || *since + in_time >= now_) {
            ++i;
            continue;
        }
        complain(*i, "waits although it may go since " + clock_of(seen_, *since));
        i = line_.erase(i);
    }
}

// The execution begins now. One that comes before it in the line must not wait for the same.
void replay::check_order(index i)
{
    for (auto const j : line_)
        if (j != i && goes_before(j, i))
            complain(i, fmt::format("passes execution {} of task {}, which was due at {}", seen_.executions[j].id,
                                    seen_.executions[j].task, clock_of(seen_, seen_.executions[j].due)));
}

bool replay::goes_before(index j, index i)
{
    auto const& a = all_[j];
    auto const& b = all_[i];
    if (std::pair(a.fresh, rank_of(j)) >= std::pair(b.fresh, rank_of(i)))
        return false;
    auto const within = task_of(j).start_within;
    if (within > 0s && may_skip(j) && seen_.executions[j].due + within <= now_)
        return false; // it is skipped at this moment
    auto const& theirs = levels_.above(seen_.executions[i].task);
    auto const ready = std::max(a.since, *led_since_ + settling);
    bool shares = false;
    for (auto const* each : levels_.above(seen_.executions[j].task)) {
        bool const both = std::find(theirs.begin(), theirs.end(), each) != theirs.end();
        shares = shares || both;
        if (a.fresh && !each->has_slot())
            return false;
        if (!both && (each->token_at() + in_time > now_ || each->freed + in_time > now_))
            return false;
    }
    if (!shares || ready + in_time > now_)
        return false;
    auto const& begun = seen_.executions[j].attempts;
    return a.begun >= begun.size() || begun[a.begun].began > now_ + in_time;
}

void replay::check_end()
{
    for (index i = 0; i < all_.size(); ++i)
        if (seen_.executions[i].due + 2s < seen_.end)
            check_state(i);
    if (complaints_ > most_complaints)
        wrong_ += fmt::format("and {} more\n", complaints_ - most_complaints);
}

void replay::check_state(index i)
{
    auto const& is = seen_.executions[i];
    auto const& one = all_[i];
    auto const last = is.attempts.empty() ? std::string() : is.attempts.back().outcome;
    auto expected = is.state;
    switch (one.stage) {
    case stage::skipped:
        // Whether it was still in doubt when a newer one took its place is open.
        expected = !may_skip(i) || (one.maybe_sent && is.state == "cancelled") ? "cancelled" : "skipped";
        break;
    case stage::over:
        expected = last;
        break;
    case stage::running:
        if (is.state != "running" && is.state != "stopping")
            expected = "planned";
        break;
    case stage::pause:
        expected = is.state == "planned" ? "planned" : "retrying";
        break;
    default:
        if (is.state != "waiting" && (is.state != "retrying" || one.begun == 0))
            expected = "planned";
        break;
    }
    if (is.state != expected)
        complain(i, fmt::format("is {} ({}), expected: {} {}", is.state, is.reason, expected, one.reason));
    else if (one.stage == stage::skipped && is.reason != one.reason)
        complain(i, fmt::format("was skipped since {}, expected: {}", is.reason, one.reason));
    bool const cancelled = last == "cancelled";
    if (cancelled && !one.must_cancel && !one.may_give_way)
        complain(i, "was cancelled and not replaced");
    if (one.must_cancel && !cancelled && one.stage == stage::over && is.attempts.back().ended > one.cancel_by + 1s)
        complain(i, "was replaced and not cancelled");
}

std::string judge(record const& seen)
{
    return replay(seen).differences();
}

std::string clock_of(record const& seen, utc_time at)
{
    return fmt::format("{:.3f} s", static_cast<double>((at - seen.begin) / 1us) / 1e6);
}

} // namespace limits_sim
