#include "trigger/delivery/client_lane.hpp"

#include <utility>

namespace baton::trigger {

void client_lane::note_room()
{
    auto const load = counted() + hidden_;
    auto const now = !takes_work()                        ? lane_room::none
                     : load < who_.slots                  ? (sending() ? lane_room::later : lane_room::slot)
                     : load < who_.slots + beyond_slots() ? lane_room::queue
                                                          : lane_room::none;
    if (auto const before = std::exchange(takes_, now); before != now && watcher_ != nullptr)
        watcher_->room_changed(*this, before);
}

void client_lane::update(lane_client who)
{
    if (who.address != who_.address) {
        proved_ = ever_proved_ = reachable_ = false;
        failures_ = 0;
        not_before_ = {};
        failing_since_.reset();
    }
    if (who.generation != who_.generation)
        gives_back_ = true;
    wants_back_ = who.draining && (wants_back_ || !who_.draining) && !held_.empty();
    who_ = std::move(who);
    note_room();
}

lane_figures client_lane::figures(instant now) const
{
    return {std::max(free_slots(now), 0), static_cast<int>(running() + on_the_way_), static_cast<int>(queue_.size())};
}

void client_lane::put(delivery one)
{
    queue_.push_back(std::move(one));
    note_room();
}

void client_lane::put_first(delivery one)
{
    queue_.push_front(std::move(one));
    note_room();
}

std::deque<delivery> client_lane::take_all()
{
    auto all = std::exchange(queue_, {});
    note_room();
    return all;
}

std::vector<delivery> client_lane::take_old(instant now)
{
    bool const fails = failing_since_ && now - *failing_since_ >= limits_.doubt_after;
    return take_if([&](delivery const& one) {
        return one.bound && (fails || (one.first_sent && now - *one.first_sent >= limits_.repeat));
    });
}

std::vector<delivery> client_lane::take_group(instant now)
{
    std::vector<delivery> group;
    std::size_t bytes = 0;
    while (!queue_.empty() && group.size() < group_) {
        if (queue_.front().what.once && static_cast<int>(running() + group.size()) >= who_.slots)
            break; // until a slot is free
        auto const size = queue_.front().what.work.payload.size();
        if (!group.empty() && bytes + size > limits_.bytes)
            break;
        bytes += size;
        group.push_back(std::move(queue_.front()));
        queue_.pop_front();
        if (!group.back().first_sent)
            group.back().first_sent = now;
    }
    on_the_way_ = group.size();
    sent_.clear();
    early_.clear();
    for (auto const& one : group)
        sent_.push_back({one.what.work.execution, one.what.work.attempt});
    sent_at_ = now;
    note_room();
    return group;
}

void client_lane::group_ended()
{
    on_the_way_ = 0;
    note_room();
}

bool client_lane::has(protocol::attempt_key const& which, instant now)
{
    if (held_.empty())
        progress_at_ = now;
    bool const holds = !ended_on_the_way(which);
    bool const was_full = is_full();
    if (holds) {
        erase(which.execution);
        held_[which.execution] = {which.attempt, now, {}};
    }
    if (!was_full) {
        full_since_ = now;
        slow_ = false;
    }
    wants_back_ = wants_back_ || who_.draining;
    note_room();
    return holds;
}

void client_lane::learn(protocol::attempt_key const& which, instant now)
{
    if (held_.contains(which.execution) || !has(which, now))
        return;
    held_.at(which.execution).learned = true;
    told_at_ = now;
}

bool client_lane::holds(protocol::attempt_key const& which) const
{
    auto const found = held_.find(which.execution);
    return found != held_.end() && found->second.attempt == which.attempt;
}

bool client_lane::erase(execution_id execution)
{
    auto const found = held_.find(execution);
    if (found == held_.end())
        return false;
    unrecorded_ -= found->second.has_result ? 1 : 0;
    held_.erase(found);
    idle_ = std::min(idle_, held_.size());
    return true;
}

void client_lane::forget(execution_id execution)
{
    if (erase(execution) && idle_ > 0)
        --idle_;
    note_room();
}

bool client_lane::ended(protocol::attempt_key const& which, instant now)
{
    auto const found = held_.find(which.execution);
    if (found != held_.end() && found->second.attempt > which.attempt)
        return false; // a result of an earlier attempt, repeated
    if (!erase(which.execution)) {
        if (!sending() || std::ranges::find(sent_, which) == sent_.end())
            return false;
        if (!ended_on_the_way(which)) // results may be repeated
            early_.push_back(which);
    }
    progress_at_ = now;
    note_room();
    return true;
}

bool client_lane::ended_on_the_way(protocol::attempt_key const& which) const
{
    return std::ranges::find(early_, which) != early_.end();
}

void client_lane::told_free_slots(int free, instant now)
{
    auto const running = static_cast<std::size_t>(std::max(who_.slots - free, 0));
    bool const all_known = queue_.empty() && !sending();
    // With a free slot nothing waits in the client's queue, so what runs is all that it has. Without one this tells
    // nothing of what is beyond its slots.
    if (free == 0) {
        idle_ = std::min(idle_, held_.size() - std::min(held_.size(), running));
        return note_room();
    }
    bool const fewer = running < held_.size();
    if (!fewer)
        idle_ = 0;
    else if (all_known && now - progress_at_ > 1s)
        idle_ = held_.size() - running;
    if (!fewer)
        contradictions_ = 0;
    else if (contradictions_++ == 0)
        contradicted_since_ = now;
    progress_at_ = now;
    note_room();
}

std::vector<protocol::attempt_key> client_lane::take_doubtful(instant now)
{
    std::vector<protocol::attempt_key> doubtful;
    bool const contradicts = contradictions_ >= limits_.doubtful_heartbeats;
    if (recall_is_open_ || now < next_question_ || (!contradicts && !stalled(now, limits_.doubtful_silence)))
        return doubtful;
    auto const before = contradicts ? contradicted_since_ : now - limits_.doubtful_silence;
    contradictions_ = 0; // what came since is asked about after as many further heartbeats
    for (auto& [execution, one] : held_) {
        bool const asked = one.asked_at != instant{} && now - one.asked_at < question_pause_;
        if (one.since > before || asked)
            continue;
        one.asked_at = now;
        doubtful.push_back({execution, one.attempt});
        if (doubtful.size() == limits_.asked_at_once)
            break;
    }
    if (doubtful.empty())
        return doubtful;
    next_question_ = now + question_pause_;
    question_pause_ = std::min<duration>(2 * question_pause_, limits_.longest_question_pause);
    return doubtful;
}

void client_lane::told_room(int free, instant now, duration span)
{
    hidden_ = std::max(who_.slots + who_.queue - free - static_cast<int>(running()), 0);
    hidden_until_ = now + span;
    note_room();
}

void client_lane::return_room(instant now)
{
    if (now < hidden_until_)
        return;
    hidden_ = 0;
    note_room();
}

void client_lane::proved_at_address()
{
    proved_ = ever_proved_ = true;
    if (!queue_.empty())
        return;
    reachable_ = true;
    not_before_ = {};
    failing_since_.reset();
    note_room();
}

void client_lane::answered()
{
    if (!proved_)
        return;
    reachable_ = true;
    failures_ = 0;
    not_before_ = {};
    failing_since_.reset();
    group_ = std::min(group_ * 2, limits_.group);
    note_room();
}

void client_lane::failed(instant now)
{
    proved_ = reachable_ = false;
    auto const pause = limits_.first_pause * (1 << std::min(failures_, 10));
    not_before_ = now + std::min<duration>(pause, limits_.longest_pause);
    ++failures_;
    if (!failing_since_)
        failing_since_ = now;
    note_room();
}

// Questions are repeated while executions are in doubt. One long after the last one belongs to another doubt.
void client_lane::question_waits(instant now)
{
    if (!silent_since_ || now - last_silence_ > 2 * limits_.longest_pause)
        silent_since_ = now;
    last_silence_ = now;
}

protocol::reach client_lane::reach(instant now, duration ttl) const
{
    if (!ever_proved_)
        return failures_ > 0 ? protocol::reach::unreachable : protocol::reach::pending;
    bool const lost = failing_since_ && now - *failing_since_ >= ttl;
    return lost ? protocol::reach::unreachable : protocol::reach::reachable;
}

bool client_lane::halve(std::size_t size)
{
    if (size <= 1)
        return false;
    group_ = std::max<std::size_t>(size / 2, 1);
    return true;
}

} // namespace baton::trigger
