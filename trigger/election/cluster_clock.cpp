#include "trigger/election/cluster_clock.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr duration step_limit = 1s;
constexpr duration step_patience = 10s;
constexpr duration steady_after = 60s;
}

void cluster_clock::sample(utc_time utc, instant asked, instant answered)
{
    auto const middle = asked + (answered - asked) / 2;
    readings_[count_++ % readings_.size()] = {utc.time_since_epoch() - middle.time_since_epoch(),
                                              (answered - asked) / 2};
    if (!offset_) {
        offset_ = readings_[0].offset;
        slewed_at_ = answered;
        last_ = {}; // what the clock showed before was the host's, which may be ahead
        return;
    }
    slew(answered);
    follow_step(readings_[(count_ - 1) % readings_.size()].offset, answered);
}

cluster_clock::reading const& cluster_clock::best() const
{
    auto const end = readings_.begin() + static_cast<std::ptrdiff_t>(std::min(count_, readings_.size()));
    return *std::min_element(readings_.begin(), end, [](auto const& a, auto const& b) { return a.error < b.error; });
}

duration cluster_clock::error() const
{
    if (!offset_ || count_ == 0) // one host, one clock; or the first sample after a step
        return {};
    auto const& rests_on = best();
    return rests_on.error + std::chrono::abs(rests_on.offset - *offset_);
}

void cluster_clock::slew(instant now)
{
    auto const most = (now - slewed_at_) / 200; // 5 ms a second
    slewed_at_ = now;
    auto const wanted = best().offset - *offset_;
    if (wanted > -step_limit && wanted < step_limit)
        *offset_ += std::clamp(wanted, -most, most);
}

void cluster_clock::follow_step(duration target, instant now)
{
    auto const away = target - *offset_;
    if (away > -step_limit && away < step_limit) {
        step_seen_at_.reset();
        return;
    }
    if (!step_seen_at_) {
        step_seen_at_ = now;
        log::warn("clock", "the database's clock stepped, following it in 10 s if it stays", {{"ms", away / 1ms}});
    }
    if (now - *step_seen_at_ < step_patience)
        return;
    log::error("clock", "following a step of the database's clock", {{"ms", away / 1ms}});
    offset_ = target;
    count_ = 0; // the old samples are of the old clock
    step_seen_at_.reset();
    steady_since_ = now;
}

bool cluster_clock::steady() const
{
    return !step_seen_at_ && time_.now() - steady_since_ >= steady_after;
}

utc_time cluster_clock::database_now() const
{
    return offset_ ? utc_time{time_.now().time_since_epoch() + *offset_} : time_.utc();
}

utc_time cluster_clock::now()
{
    auto const now = database_now();
    if (now >= last_) {
        stands_ = false;
        last_ = now;
    } else {
        // due_queue counts whole milliseconds: what is put in for the present time must be due while it stands still.
        stands_ = stands_ || last_ - now >= step_limit;
        last_ = std::chrono::ceil<std::chrono::milliseconds>(last_);
    }
    return last_;
}

std::optional<utc_time> cluster_clock::stands_until()
{
    auto const last = now();
    return stands_ ? std::optional(last) : std::nullopt;
}

} // namespace baton::trigger
