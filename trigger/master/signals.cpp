#include "trigger/master/signals.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "trigger/master/paused_services.hpp"
#include "trigger/master/rest.hpp"

#include <algorithm>
#include <unordered_set>

namespace baton::trigger {

namespace {
constexpr int signals_at_once = 1'000;
// A reading begins so long ago. Signals whose commits take longer are found by the look behind. The first reading of a
// term also finds the edits that no master has given up; whatever else is older is in the rows that the term takes
// over.
constexpr duration usual_window = 20s;
constexpr duration first_window = 1min;
constexpr duration late_pause = 1min;       // between looks behind, at least
constexpr int late_share = 2;               // of the time, in percent
constexpr duration reach_of_an_edit = 1min; // it takes back no firing that was due so long before it, whatever its lead
}

awaitable<void> signal_reader::agree_on_lead()
{
    former_lead_ = co_await scope_.ledger.set_edit_lead(scope_.term.fence, settings_.edit_lead);
    agreed_at_ = scope_.term.time.now();
    if (former_lead_ != 0s && former_lead_ != settings_.edit_lead)
        log::warn("signals",
                  "planner.edit_lead of this node differs from that of the last master, edits follow this one",
                  {{"this_ms", settings_.edit_lead / 1ms}, {"last_ms", former_lead_ / 1ms}});
}

// Edits that began before this node's edit_lead was recorded have the former one.
duration signal_reader::lead()
{
    bool const agreed = former_lead_ == 0s || scope_.term.time.now() > agreed_at_ + former_lead_;
    return agreed ? settings_.edit_lead : std::min(settings_.edit_lead, former_lead_);
}

awaitable<void> signal_reader::run()
{
    co_await both(read(), both(give_up(), look_behind()));
}

awaitable<void> signal_reader::look_behind()
{
    auto const step = [this]() -> awaitable<void> {
        auto const began = scope_.term.time.now();
        if (began < look_behind_at_ || !late_.empty())
            co_return;
        look_behind_at_ = began + late_pause;
        auto found = co_await all_.older(usual_window, signals_at_once);
        auto const now = scope_.term.time.now();
        bool const more = found.size() == signals_at_once;
        look_behind_at_ = now + std::max(more ? duration{} : late_pause, rest_after(now - began, late_share));
        late_ = std::move(found);
        if (!late_.empty())
            bell_.wake();
    };
    co_await every("the look at signals that came late", scope_.term.time, 1s, step);
}

// An edit that is announced comes with a signal of its own, which is as young as the announcement or younger.
utc_time signal_reader::floor() const
{
    auto const line = scope_.open.edits().first_line();
    return line == utc_time::max() ? line : line - reach_of_an_edit;
}

// Edits that do not come, so that their tasks fire again. Waits for an edit that is just being committed, so it has
// another session than the readings.
awaitable<void> signal_reader::give_up()
{
    auto const step = [this]() -> awaitable<void> {
        auto const late = scope_.open.edits().overdue(scope_.term.time.now());
        if (late.empty())
            co_return;
        log::warn("signals", "edits were announced and did not come, giving them up", {{"edits", late.size()}});
        co_await scope_.ledger.give_up_edits(late);
    };
    co_await every("giving up edits that do not come", scope_.term.time, 1s, step);
}

awaitable<void> signal_reader::read()
{
    for (;;) {
        bool more = false;
        try {
            more = co_await round();
        } catch (unavailable const& reason) {
            log::outage(reason, "signals", "reading the signals of the web failed, trying again at the next poll",
                        {log::reason(reason.what())});
        }
        if (!more)
            co_await bell_.wait_until(scope_.term.time, scope_.term.time.now() + settings_.poll);
    }
}

signal_reader::batch signal_reader::sort(std::vector<storage::signal_record> const& found)
{
    batch out;
    for (auto const& one : found) {
        if (one.kind == protocol::signal_kind::edit) {
            scope_.open.edits().announced(one.id, task_id{one.subject}, one.created_at + lead(),
                                          scope_.term.time.now());
            out.announced.insert(one.id);
            continue;
        }
        out.done.push_back(one.id);
        if (!one.kind) {
            log::error("signals", "a signal has an unknown kind, deleting it",
                       {{"kind", one.text}, {"signal", one.id.value()}, {"subject", one.subject}});
            continue;
        }
        switch (*one.kind) {
        case protocol::signal_kind::task: {
            auto& first = out.edited.try_emplace(task_id{one.subject}, one.created_at).first->second;
            first = std::min(first, one.created_at);
            break;
        }
        case protocol::signal_kind::run:
            out.runs.emplace_back(one.subject);
            break;
        case protocol::signal_kind::cancel:
            out.cancelled.emplace_back(one.subject);
            break;
        case protocol::signal_kind::edit:
            break; // above
        case protocol::signal_kind::pause:
            out.pauses = true;
            break;
        case protocol::signal_kind::settings:
            out.settings = true;
            break;
        }
    }
    return out;
}

awaitable<bool> signal_reader::round()
{
    auto const asked = scope_.term.clock.now();
    auto found = co_await table_.pending(first_ ? first_window : usual_window, floor(), signals_at_once);
    bool const more = found.size() == signals_at_once;
    auto const late = std::exchange(late_, {});
    found.insert(found.end(), late.begin(), late.end());
    auto const signals = sort(found);
    if (signals.pauses)
        co_await learn_pauses();
    if (signals.settings)
        co_await learn_settings();
    if (!signals.edited.empty())
        co_await drop_taken_back(signals.edited);
    if (!signals.edited.empty() && actions_.follows_edits)
        co_await learn_edits(signals.edited);
    if (!more) {
        first_ = false;
        scope_.open.edits().keep_only(signals.announced); // the others were among the edits above, or are given up
        actions_.may_fire_until(asked + lead() / 2);
    }
    if (!signals.runs.empty())
        co_await load(signals.runs);
    if (!signals.cancelled.empty())
        actions_.cancel(signals.cancelled);
    if (!signals.done.empty()) {
        actions_.replan();
        co_await table_.remove(signals.done);
    }
    co_return more && !signals.done.empty();
}

awaitable<void> signal_reader::learn_edits(std::map<task_id, utc_time> const& edited)
{
    std::vector<task_id> tasks;
    for (auto const& [task, at] : edited)
        if (actions_.follows_edits(task))
            tasks.push_back(task);
    auto const found = co_await ledger_.definitions(tasks);
    for (auto const& each : found)
        actions_.edited(each);
}

awaitable<void> signal_reader::learn_pauses()
{
    auto const asked = scope_.term.time.now();
    auto const all = co_await ledger_.pauses(paused_services::remembered);
    actions_.pauses(all, asked);
}

awaitable<void> signal_reader::learn_settings()
{
    auto const asked = scope_.term.time.now();
    auto const all = co_await ledger_.settings();
    actions_.settings(all, asked);
}

awaitable<void> signal_reader::load(std::vector<execution_id> const& runs)
{
    open_set::reading const seen(scope_.open);
    auto const rows = co_await ledger_.open_among(runs);
    for (auto const& row : rows)
        actions_.load(row, seen);
}

// Only firings that still wait can be taken back, and the ledger tells which of them stand. Firings that an edit
// inserted come as runs.
awaitable<void> signal_reader::drop_taken_back(std::map<task_id, utc_time> const& edited)
{
    std::vector<execution_id> waiting;
    for (auto const& [task, at] : edited) {
        scope_.open.edited(task);
        auto const some = scope_.open.waiting_firings(task, at - reach_of_an_edit);
        waiting.insert(waiting.end(), some.begin(), some.end());
    }
    auto const standing = co_await ledger_.still_open(waiting);
    std::unordered_set<execution_id> const open(standing.begin(), standing.end());
    for (auto const id : waiting)
        if (auto const* one = scope_.open.find(id);
            one != nullptr && one->phase == phase::waiting && !open.contains(id))
            actions_.ended(id);
}

} // namespace baton::trigger
