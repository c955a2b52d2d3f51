#include "tests/simulation/limits_replay.hpp"

#include <algorithm>

// The take-over: a new master and the executions that it finds open.

namespace limits_sim {

namespace {

constexpr duration on_its_way = std::chrono::milliseconds{5}; // a message to a client
constexpr char const* replaced_it = "a newer execution took its place";

} // namespace

// An execution that is not under way enters again, in its order. One that the master before may have sent, by the
// ledger, counts as under way until the clients have been asked, and takes its place in line then.
void replay::begin(std::size_t term)
{
    led_since_ = now_;
    levels_.each([&](level& one) { one.new_master(died_, now_); });
    std::map<key, comers> open;
    line_.clear();
    for (index i = 0; i < all_.size(); ++i) {
        auto& one = all_[i];
        if (!waits(i))
            continue;
        bool const known = seen_.executions[i].created < now_ && term != 0;
        auto& where = open[{task_of(i).id, seen_.executions[i].key}];
        if (one.begun != 0)
            where.begun.emplace(rank_of(i), i);
        else if (!known || !seen_.terms[term - 1].out.contains(seen_.executions[i].id))
            (known ? where.known : where.planned_late).emplace(rank_of(i), i);
        else
            where.in_doubt.emplace(rank_of(i), i);
    }
    for (auto const& [name, here] : open) {
        auto const before = places_[name];
        auto const orders = 2 * (here.in_doubt.size() + 1);
        bool found = false;
        for (std::size_t at = 0; !found && at < 2 * orders; ++at) {
            places_[name] = before; // clients may answer before the new master has planned what is late
            auto const order = at % orders;
            enter_all(name, here, {order / 2, order % 2 != 0});
            found = agrees(here) && (at < orders ? lets_go_first(name) : has_freed_places(name));
        }
    }
}

void replay::enter_all(key const& name, comers const& who, entrance const& order)
{
    auto& where = places_[name];
    where.waiting.clear();
    std::erase_if(where.holders, [&](auto const& each) { return !who.begun.contains(each) && waits(each.second); });
    for (auto const* some : {&who.begun, &who.known, &who.planned_late, &who.in_doubt})
        for (auto const& [at, i] : *some) {
            all_[i].stage = stage::pending;
            all_[i].maybe_sent = false;
            line_.erase(i);
        }
    for (auto const& [at, i] : who.begun)
        admit(i);
    for (auto const& each : who.in_doubt) {
        all_[each.second].maybe_sent = true;
        all_[each.second].may_give_way = has_newer(each.second);
        all_[each.second].must_cancel = false;
        if (task_of(each.second).limit != 0)
            where.holders.insert(each);
    }
    auto now = who.known;
    if (order.answered == 0)
        now.insert(who.planned_late.begin(), who.planned_late.end());
    for (auto const& [at, i] : now)
        due(i);
    std::size_t count = 0;
    std::vector<index> last;
    for (auto const& [at, i] : who.in_doubt) {
        if (waits(i) && order.forced_last && seen_.executions[i].forced) {
            where.holders.erase({at, i});
            last.push_back(i);
        } else if (waits(i)) {
            give_back(i);
        }
        if (++count == order.answered)
            for (auto const& [then, late] : who.planned_late)
                due(late);
    }
    for (auto const i : last)
        enter(i);
}

// By the record, those that have places began before those that wait.
bool replay::lets_go_first(key const& name) const
{
    auto const& where = places_.at(name);
    utc_time last{}; // of those that were let go
    for (auto const& [at, i] : where.holders)
        if (waits(i) && all_[i].begun < seen_.executions[i].attempts.size())
            last = std::max(last, seen_.executions[i].attempts[all_[i].begun].began);
    return std::ranges::none_of(where.waiting, [&](auto const& each) {
        auto const& begun = seen_.executions[each.second].attempts;
        return !begun.empty() && begun.front().began < last + on_its_way;
    });
}

// A limit of the service may keep one back that has a place, while another one ends. By the record, each of those that
// wait began when one with a place had ended.
bool replay::has_freed_places(key const& name) const
{
    auto const& where = places_.at(name);
    utc_time first = utc_time::max(); // end of one with a place
    for (auto const& [at, i] : where.holders)
        if (auto const& begun = seen_.executions[i].attempts; !begun.empty() && begun.back().ended)
            first = std::min(first, *begun.back().ended);
    return std::ranges::none_of(where.waiting, [&](auto const& each) {
        auto const& begun = seen_.executions[each.second].attempts;
        return !begun.empty() && begun.front().began < first;
    });
}

// The record shows what was skipped at that moment.
bool replay::agrees(comers const& who) const
{
    for (auto const* some : {&who.known, &who.planned_late, &who.in_doubt})
        for (auto const& [at, i] : *some) {
            auto const& is = seen_.executions[i];
            bool const left_out = all_[i].stage == stage::skipped;
            if (left_out ? !is.attempts.empty() || is.reason != all_[i].reason
                         : is.attempts.empty() && is.reason.starts_with("as many"))
                return false;
        }
    return true;
}

bool replay::waits(index i) const
{
    auto const at = all_[i].stage;
    return at == stage::pending || at == stage::gate || at == stage::line;
}

void replay::give_back(index i)
{
    auto const& is = seen_.executions[i];
    bool const gave_way = is.attempts.empty() && is.reason == replaced_it && has_newer(i);
    if (is_too_late(i) && !gave_way)
        return deadline(i);
    if (task_of(i).limit == 0)
        return admit(i);
    auto& where = place_of(i);
    where.holders.erase({rank_of(i), i});
    if (auto const first = first_without_force(where); gave_way && first != where.holders.end())
        all_[first->second].may_give_way = true;
    if (all_[i].must_cancel || gave_way)
        skip(i, replaced_it);
    else
        enter(i);
    promote(where);
}

// In which order the clients tell that they have none of several executions is open, and one that gives its place back
// before an older one finds the newer ones still waiting.
bool replay::has_newer(index i) const
{
    auto const& mine = seen_.executions[i];
    for (index j = i + 1; j < all_.size() && seen_.executions[j].due <= *led_since_; ++j)
        if (seen_.executions[j].task == mine.task && seen_.executions[j].key == mine.key)
            return task_of(i).when_full == when_full::replace;
    return false;
}

} // namespace limits_sim
