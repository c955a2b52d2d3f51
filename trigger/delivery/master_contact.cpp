#include "trigger/delivery/master_contact.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration silence_limit = 2s;
constexpr duration outlived = 1s; // a node reports more often, so a master that lives so long would have taken a report
constexpr duration calm_after = 5s;
constexpr duration look_period = 100ms;
constexpr duration stood_still = 500ms; // between two looks: this node did not report either
constexpr duration telling = 500ms;     // this node's row says that it is cut off, before it is no longer written
constexpr duration refusing_for = 5s;   // of clients that are refused
constexpr std::size_t most_refused = 100'000;

} // namespace

bool is_silent(master_sight const& master, instant now)
{
    auto const heard_at = std::max(master.since, master.took_report_at);
    return now - heard_at >= silence_limit && master.renewed_at - heard_at >= outlived;
}

contact_state next_contact(contact_state before, bool silent, instant now)
{
    if (silent)
        return {contact::cut_off, now};
    bool const steady = before.now == contact::steady || now - before.silent_at >= calm_after;
    return {steady ? contact::steady : contact::returning, before.silent_at};
}

// The time of a renewal is computed from the row's age, but a step of the database's clock must not move it out of the
// time between two readings.
void master_contact::read_row(lease::lease_row const& row, instant asked)
{
    auto const before = std::exchange(asked_at_, asked);
    if (!row.owner || row.expired || *row.owner == deps_.nodes.self().incarnation) {
        master_.clear();
        return;
    }
    if (master_ != *row.owner || epoch_ != row.epoch) {
        master_ = *row.owner;
        epoch_ = row.epoch;
        sight_ = {deps_.time.now(), {}, {}};
    } else if (renewal_ != row.renew_seq) {
        sight_.renewed_at = std::clamp(asked - row.age, before, std::max(before, asked));
    }
    renewal_ = row.renew_seq;
}

void master_contact::took_report(std::string const& master)
{
    if (master == master_)
        sight_.took_report_at = deps_.time.now();
}

bool master_contact::refuses(std::string const& instance)
{
    if (state_.now == contact::steady || deps_.nodes.takers().empty())
        return false;
    if (refused_.size() >= most_refused)
        refused_.clear();
    auto const now = deps_.time.now();
    return now - refused_.try_emplace(instance, now).first->second < refusing_for;
}

awaitable<void> master_contact::run()
{
    for (;;) {
        look();
        co_await deps_.time.sleep_for(look_period);
    }
}

void master_contact::look()
{
    auto const now = deps_.time.now();
    if (now - std::exchange(looked_at_, now) > stood_still)
        sight_.since = now;
    auto const before = state_.now;
    if (deps_.leads())
        state_ = {};
    else
        state_ = next_contact(state_, !master_.empty() && deps_.nodes.alive(master_) && is_silent(sight_, now), now);
    if (state_.now != before)
        change(before);
    if (deps_.leads())
        deps_.nodes.step_back();
    else if (state_.now == contact::cut_off && now >= aside_from_ && !deps_.nodes.takers().empty())
        step_aside();
}

void master_contact::step_aside()
{
    aside_from_ = instant::max(); // once for each time that it is cut off
    log::warn("membership", "this node lets its membership lapse, so that its assignments go to other nodes",
              {{"master", master_}});
    deps_.nodes.step_aside();
}

void master_contact::change(contact before)
{
    if (before == contact::steady) {
        aside_from_ = deps_.time.now() + telling;
        log::warn("clients", "the master takes no reports of this node, its clients are asked to move to other nodes",
                  {{"master", master_}, {"clients", deps_.watches.size()}});
    }
    if (state_.now == contact::steady) {
        log::info("clients", "the master takes reports of this node again, or another one leads: clients may stay",
                  {{"master", master_}, {"clients", deps_.watches.size()}});
        refused_.clear();
    }
    deps_.watches.send_away(state_.now == contact::cut_off);
    deps_.show_change();
}

} // namespace baton::trigger
