#include "client-sdk/src/engine.hpp"

#include <algorithm>

namespace baton::client {

namespace {

constexpr duration note_interval = 1s;

} // namespace

engine::engine(engine_limits limits, std::set<std::string> handlers)
    : limits_(limits), handlers_(std::move(handlers)), memory_(limits.remember, limits.remembered)
{}

protocol::dispatch_ack engine::take(protocol::dispatch work, instant now, protocol::term_id term, bool moved)
{
    using protocol::ack;
    protocol::dispatch_ack answer{work.execution, work.attempt, ack::accepted, 0};
    auto const say = [&](ack which, int holds) {
        answer.answer = which;
        answer.holds = holds;
        return answer;
    };
    if (work.execution.value() <= 0 || work.attempt <= 0 || work.timeout_us < 0)
        return say(ack::invalid, 0);
    if (auto const found = held_.find(work.execution); found != held_.end()) {
        auto& mine = found->second;
        // A queued attempt can still become the later one; a running attempt must end before another starts.
        if (!mine.started && work.attempt > mine.work->work.attempt) {
            mine.work->work = std::move(work);
            mine.work->term = term;
            return say(ack::accepted, 0);
        }
        return say(ack::running, mine.work->work.attempt);
    }
    if (auto const* ended = memory_.find(work.execution, now); ended != nullptr && ended->settles(work.attempt)) {
        results_.hurry({work.execution, ended->attempt}, now);
        return say(ack::finished, ended->attempt);
    }
    if (moved)
        return say(ack::moved, 0);
    if (draining_)
        return say(ack::draining, 0);
    if (!handlers_.contains(work.handler))
        return say(ack::no_handler, 0);
    if (free() == 0)
        return say(ack::busy, 0);
    auto const execution = work.execution;
    auto& one = held_[execution];
    one.work = std::make_shared<job>(std::move(work));
    one.work->term = term;
    queue_.push_back(execution);
    return answer;
}

std::optional<protocol::held_execution> engine::known(execution_id execution, instant now) const
{
    if (auto const found = held_.find(execution); found != held_.end()) {
        protocol::held_execution one{execution, found->second.work->work.attempt, false, false};
        if (auto const& started = found->second.started)
            one.run_ms = std::max<std::int64_t>((now - started->at) / 1ms, 1);
        return one;
    }
    if (auto const* ended = memory_.find(execution, now); ended != nullptr && !ended->refused)
        return protocol::held_execution{execution, ended->attempt, true, ended->status == protocol::state::succeeded};
    return std::nullopt;
}

std::vector<protocol::held_execution> engine::query(protocol::query_request const& asked, instant now)
{
    auto answer = query(asked.executions, now);
    for (std::size_t i = 0; i < std::min(asked.executions.size(), asked.attempts.size()); ++i)
        refuse(asked.executions[i], asked.attempts[i], now);
    return answer;
}

// A dispatch that is still on its way must find its attempt settled here.
void engine::refuse(execution_id execution, int attempt, instant now)
{
    auto const* ended = memory_.find(execution, now);
    if ((ended != nullptr && ended->settles(attempt)) || held_.contains(execution))
        return;
    memory_.remember(execution, memory::ended::not_begun(attempt, now));
}

std::vector<protocol::held_execution> engine::query(std::vector<execution_id> const& executions, instant now) const
{
    std::vector<protocol::held_execution> answer;
    for (auto const execution : executions)
        if (auto const one = known(execution, now))
            answer.push_back(*one);
    return answer;
}

std::vector<protocol::held_execution> engine::cancel(std::vector<execution_id> const& executions, reading now)
{
    for (auto const execution : executions) {
        auto const found = held_.find(execution);
        if (found == held_.end())
            continue;
        auto& one = found->second;
        one.cancelled = true;
        one.work->stop.request_stop();
        if (!one.started) {
            outcome never_run;
            never_run.error = "cancelled before it started";
            never_run.bytes = never_run.error.size();
            never_run.ended = now;
            std::erase(queue_, execution);
            conclude(one, protocol::state::cancelled, std::move(never_run));
        }
    }
    return query(executions, now.at);
}

void engine::give_up_queued(instant now)
{
    for (auto const execution : queue_) {
        auto const attempt = held_.at(execution).work->work.attempt;
        held_.erase(execution);
        refuse(execution, attempt, now);
    }
    queue_.clear();
}

std::vector<std::shared_ptr<job>> engine::start_ready(reading now)
{
    std::vector<std::shared_ptr<job>> ready;
    if (now.at >= trusted_until_)
        return ready;
    while (!stopping_ && !queue_.empty() && free_slots() > 0) {
        auto const execution = queue_.front();
        queue_.pop_front();
        auto& one = held_.at(execution);
        one.started = now;
        one.next_note = now.at + note_interval;
        // A timeout that would overflow the clock counts as none.
        if (auto const timeout = duration{one.work->work.timeout_us};
            timeout > duration::zero() && timeout < instant::max() - now.at)
            one.deadline = now.at + timeout;
        running_.insert(execution);
        ready.push_back(one.work);
    }
    return ready;
}

void engine::finish(execution_id execution, outcome end)
{
    using protocol::state;
    auto const found = held_.find(execution);
    if (found == held_.end())
        return;
    auto& one = found->second;
    auto status = end.succeeded ? state::succeeded : state::failed;
    if (one.cancelled && !end.succeeded) {
        status = state::cancelled;
    } else if (end.ended.at >= one.deadline) {
        status = state::timed_out;
        auto const ran = std::to_string((end.ended.at - one.started->at) / 1ms);
        auto const limit = std::to_string(one.work->work.timeout_us / 1'000);
        end.error = "ran " + ran + " ms of at most " + limit + (end.error.empty() ? "" : ": ") + end.error;
    }
    conclude(one, status, std::move(end));
}

void engine::conclude(held const& one, protocol::state status, outcome end)
{
    auto const work = one.work; // outlives its entry
    auto const execution = work->work.execution;
    auto const attempt = work->work.attempt;
    protocol::result_report report;
    report.execution = execution;
    report.attempt = attempt;
    report.receipt = work->work.receipt;
    report.status = status;
    report.started_at = one.started ? to_micros(one.started->utc) : 0;
    report.finished_at = to_micros(end.ended.utc);
    report.progress = work->progress.load(std::memory_order_relaxed);
    auto const& final_errors = work->work.final_errors;
    auto const is_final = [&](std::string const& error_class) {
        return std::ranges::find(final_errors, error_class) != final_errors.end();
    };
    bool const failed = status == protocol::state::failed;
    bool const interrupted = failed && one.interrupted;
    report.final = failed && (end.final || is_final(end.error_class));
    report.final = report.final || (interrupted && is_final(protocol::interrupted));
    report.interrupted = interrupted && !report.final;
    report.value = std::move(end.value);
    report.error = std::move(end.error);
    results_.add(std::move(report), end.bytes, end.ended.at);
    memory_.remember(execution, {attempt, status, end.ended.at});
    notes_ -= one.note_due ? 1 : 0;
    running_.erase(execution);
    held_.erase(execution);
}

void engine::tick(instant now)
{
    for (auto const execution : running_) {
        auto& one = held_.at(execution);
        if (now >= one.deadline)
            one.work->stop.request_stop();
        if (now >= one.next_note) {
            one.next_note = now + note_interval;
            if (one.work->progress.load(std::memory_order_relaxed) != one.noted)
                set_note(one, true);
        }
    }
    memory_.forget(now);
}

std::optional<instant> engine::next_tick() const
{
    std::optional<instant> next;
    for (auto const execution : running_)
        next = std::min(next.value_or(instant::max()), tick_of(execution));
    return next;
}

instant engine::tick_of(execution_id running) const
{
    auto const& one = held_.at(running);
    return one.work->stop.stop_requested() ? one.next_note : std::min(one.next_note, one.deadline);
}

void engine::stop_running()
{
    stopping_ = true;
    for (auto const execution : running_) {
        auto& one = held_.at(execution);
        one.interrupted = true;
        one.work->stop.request_stop();
    }
}

std::vector<protocol::result_report> engine::batch(instant now, std::size_t most, std::size_t bytes)
{
    auto taken = results_.batch(now, most, bytes);
    if (results_.alone(taken))
        return taken;
    for (auto place = running_.begin(); notes_ > 0 && place != running_.end() && taken.size() < most; ++place) {
        auto& one = held_.at(*place);
        if (!one.note_due)
            continue;
        set_note(one, false);
        one.noted = one.work->progress.load(std::memory_order_relaxed);
        protocol::result_report note;
        note.execution = *place;
        note.attempt = one.work->work.attempt;
        note.receipt = one.work->work.receipt;
        note.status = protocol::state::running;
        note.started_at = to_micros(one.started->utc);
        note.progress = one.noted;
        taken.push_back(std::move(note));
    }
    return taken;
}

void engine::settle(std::vector<protocol::result_report> const& sent,
                    std::vector<protocol::attempt_key> const& recorded, instant now)
{
    std::set<std::pair<execution_id, int>> durable;
    for (auto const& which : recorded)
        durable.emplace(which.execution, which.attempt);
    // Only the results of this message: a node may also name the note of a running execution as recorded, whose result
    // may have entered the outbox since.
    for (auto const& report : sent) {
        if (report.status == protocol::state::running)
            continue;
        protocol::attempt_key const which{report.execution, report.attempt};
        if (!durable.contains({which.execution, which.attempt})) {
            results_.postpone(which, now);
            continue;
        }
        results_.recorded(which);
        memory_.recorded(which.execution, which.attempt, now);
    }
}

void engine::unsent(std::vector<protocol::result_report> const& sent)
{
    for (auto const& report : sent) {
        if (report.status == protocol::state::running)
            note_again(report);
        else
            results_.unsent({report.execution, report.attempt});
    }
}

void engine::refused(std::vector<protocol::result_report> const& sent, std::string const& why, instant now)
{
    std::vector<protocol::attempt_key> results;
    for (auto const& report : sent)
        if (report.status != protocol::state::running)
            results.push_back({report.execution, report.attempt});
    if (results.empty())
        return; // other notes follow
    for (auto const& report : sent)
        if (report.status == protocol::state::running)
            note_again(report);
    if (sent.size() > 1) {
        for (auto const& which : results)
            results_.part(which, results.size() / 2);
    } else if (results_.strip(results.front(), why)) {
        results_.unsent(results.front());
    } else {
        results_.postpone(results.front(), now);
    }
}

void engine::note_again(protocol::result_report const& note)
{
    auto const found = held_.find(note.execution);
    if (found != held_.end() && found->second.work->work.attempt == note.attempt)
        set_note(found->second, true);
}

void engine::set_note(held& one, bool due)
{
    if (one.note_due != due)
        notes_ += due ? 1 : -1;
    one.note_due = due;
}

int engine::free_slots() const
{
    return limits_.slots - static_cast<int>(running_.size());
}

int engine::free() const
{
    if (draining_)
        return 0;
    auto const places = limits_.slots + limits_.queue - static_cast<int>(held_.size());
    auto const results = static_cast<std::int64_t>(limits_.results) - static_cast<std::int64_t>(held_.size()) -
                         static_cast<std::int64_t>(results_.size());
    return static_cast<int>(std::max<std::int64_t>(0, std::min<std::int64_t>(places, results)));
}

} // namespace baton::client
