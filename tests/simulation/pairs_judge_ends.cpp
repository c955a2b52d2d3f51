#include "tests/simulation/pairs_judge.hpp"
#include "tests/simulation/pairs_look.hpp"

#include <spdlog/fmt/fmt.h>

namespace pairs_sim {

namespace {

constexpr duration of_clients = 15s; // their ttl, a question, and the report of an end

struct ends {
    look const& at;
    violations out{};

    void add(execution_row const& one, std::string text)
    {
        auto const* task = at.task_of(one.task);
        out.push_back({5, task == nullptr ? -1 : task->number, one.id, std::move(text)});
    }
    void open(execution_row const& one);
    void total(execution_row const& one, json const& definition);
    void stopped(execution_row const& one, json const& definition);
    void cancelled(performed_action const& act);
    bool waits_with_reason(json const& definition) const;
};

// Only the named client may run it, and its service has no such client.
bool ends::waits_with_reason(json const& definition) const
{
    return definition.at("routing") == "instance" && definition.at("service") == "other";
}

void ends::open(execution_row const& one)
{
    auto const* version = at.version_of(one);
    if (!one.due_at || *one.due_at > at.seen.end - 20s ||
        (version != nullptr && waits_with_reason(version->definition)))
        return;
    add(one, fmt::format("is still {} at the end, due since {}", one.state, clock_of(at.seen, *one.due_at)));
}

void ends::total(execution_row const& one, json const& definition)
{
    auto const total = millis(definition.at("limits"), "total_ms");
    if (total == 0s || one.parent || at.clock_stepped() || one.cause != "schedule" ||
        definition.at("schedule").at("kind") == "after")
        return;
    auto const due = one.scheduled_at + millis(definition.at("schedule"), "jitter_ms");
    auto const ended = one.ended_at.value_or(at.seen.end);
    auto const latest = std::max(due, one.created_at) + total + of_clients;
    if (ended > latest + at.outages(one.scheduled_at, ended))
        add(one, fmt::format("ends at {}, long after its total of {} ms", clock_of(at.seen, ended), total / 1ms));
}

void ends::stopped(execution_row const& one, json const& definition)
{
    auto const calls = at.calls.find(one.id);
    if (calls == at.calls.end() || at.clock_stepped())
        return;
    auto const timeout = millis(definition, "timeout_ms");
    auto const grace = millis(definition, "stop_grace_ms");
    auto const ended = one.ended_at.value_or(at.seen.end);
    for (auto const* call : calls->second) {
        if (timeout == 0s || at.end_of(*call) < call->began + timeout)
            continue;
        auto const latest = call->began + timeout + grace + of_clients;
        bool const is_last = call == calls->second.back() && call->attempt == one.attempt; // the next one may wait
        if (is_last && ended > latest + at.outages(call->began, ended) && !call->died)
            add(one,
                fmt::format("attempt {} began at {}, and its timeout of {} ms and grace of {} ms have not ended it "
                            "before {}",
                            call->attempt, clock_of(at.seen, call->began), timeout / 1ms, grace / 1ms,
                            clock_of(at.seen, ended)));
    }
}

void ends::cancelled(performed_action const& act)
{
    auto const number = act.answer.is_object() ? act.answer.find("execution") : act.answer.end();
    if (act.what != item::cancel || act.status != 202 || number == act.answer.end() || at.clock_stepped())
        return;
    auto const row = at.row.find(std::stoll(number->get<std::string>()));
    auto const* version = row == at.row.end() ? nullptr : at.version_of(*row->second);
    if (version == nullptr)
        return;
    auto const ended = row->second->ended_at.value_or(at.seen.end);
    auto const latest = act.answered + millis(version->definition, "stop_grace_ms") + of_clients;
    if (ended > latest + at.outages(act.sent, ended))
        add(*row->second, fmt::format("a cancel at {} has not ended it before {}", clock_of(at.seen, act.answered),
                                      clock_of(at.seen, ended)));
}

} // namespace

violations judge_ends(facts const& seen)
{
    look const at(seen);
    ends found{at};
    for (auto const& one : seen.rows) {
        found.open(one);
        auto const* version = at.version_of(one);
        if (version == nullptr)
            continue;
        found.total(one, version->definition);
        found.stopped(one, version->definition);
    }
    for (auto const& act : seen.actions)
        found.cancelled(act);
    return found.out;
}

} // namespace pairs_sim
