#include "trigger/delivery/client_lane.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

namespace baton::trigger {

namespace {
constexpr int few_results = 3; // whose recording is told to the master with the next change
}

// How many executions a client gets beyond its slots, and which of them it is to give back.

void client_lane::result_came(protocol::attempt_key const& which)
{
    auto const found = held_.find(which.execution);
    if (found == held_.end() || found->second.attempt != which.attempt)
        return;
    unrecorded_ += std::exchange(found->second.has_result, true) ? 0 : 1;
}

void client_lane::ran(int count, duration total, instant now)
{
    prefetch_.ended(count, total, who_.slots);
    last_end_ = now;
    slow_ = false;
    if (!recall_is_open_) { // it had begun what it was asked for, say: that tells nothing of what comes
        recall_pause_ = limits_.first_recall_pause;
        next_recall_ = std::min<instant>(next_recall_, now + recall_pause_);
    }
    note_room();
}

bool client_lane::places_moved() const
{
    auto const results = unrecorded_ - told_unrecorded_;
    return places() - told_places_ != results || std::abs(results) > std::max(few_results, told_places_ / 8);
}

void client_lane::look(instant now)
{
    slow_ = is_full() && now - idle_since() >= limits_.slow_after;
    if (excess() == 0)
        excess_since_.reset();
    else if (!excess_since_)
        excess_since_ = now;
    note_room();
}

instant client_lane::next_look(instant now) const
{
    auto const soon = now + limits_.slow_after / 2;
    if (wants_back_)
        return std::max<instant>(may_be_asked() ? now + 1ms : soon, next_recall_);
    auto next = slow_ ? soon : std::max(soon, idle_since() + limits_.slow_after);
    if (excess_since_)
        next = std::min(next, *excess_since_ + limits_.recall_after);
    return std::max({next, soon, next_recall_});
}

std::size_t client_lane::excess() const
{
    auto const places = static_cast<std::size_t>(who_.slots + beyond_slots());
    return running() - std::min(running(), places);
}

std::vector<protocol::attempt_key> client_lane::take_recall(instant now, bool settled)
{
    std::vector<protocol::attempt_key> out;
    if (!may_be_asked() || now < next_recall_)
        return out;
    bool const too_many = excess_since_ && now - *excess_since_ >= limits_.recall_after;
    auto most = std::min(wants_back_ ? held_.size() : too_many ? excess() : 0, limits_.asked_at_once);
    std::vector<std::tuple<instant, execution_id, int>> all;
    if (most > 0)
        for (auto const& [execution, one] : held_)
            if (!one.has_result && (settled || !one.learned))
                all.emplace_back(one.since, execution, one.attempt);
    most = std::min(most, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most), all.end(), std::greater<>());
    for (std::size_t i = 0; i < most; ++i)
        out.push_back({std::get<1>(all[i]), std::get<2>(all[i])});
    if (settled)
        std::ranges::copy_if(unconfirmed_, std::back_inserter(out),
                             [this](auto const& one) { return !held_.contains(one.execution); });
    if (too_many)
        prefetch_.stalled(now - idle_since(), who_.slots);
    recalling_ = !out.empty();
    note_room();
    return out;
}

void client_lane::recall_ended(recalled how, instant now)
{
    recalling_ = false;
    recall_is_open_ = how == recalled::no_answer && recall_pause_ < limits_.open_recall;
    if (how != recalled::no_answer) {
        wants_back_ = false;
        unconfirmed_.clear();
        excess_since_.reset();
    }
    gives_back_ = how != recalled::unknown_call;
    if (how == recalled::gave_back)
        recall_pause_ = limits_.first_recall_pause;
    next_recall_ = now + recall_pause_;
    if (how != recalled::gave_back)
        recall_pause_ = std::min<duration>(2 * recall_pause_, limits_.longest_recall_pause);
    note_room();
}

void client_lane::may_have_given_back(std::vector<protocol::attempt_key> which, instant now)
{
    unconfirmed_ = std::move(which);
    if (unconfirmed_.size() > limits_.asked_at_once)
        unconfirmed_.erase(unconfirmed_.begin(),
                           unconfirmed_.end() - static_cast<std::ptrdiff_t>(limits_.asked_at_once));
    told_at_ = now;
}

std::size_t client_lane::too_many_waiting() const
{
    auto const places = takes_work() ? who_.slots + beyond_slots() : 0;
    auto const left = std::max(places - static_cast<int>(running() + on_the_way_), 0);
    return queue_.size() - std::min(queue_.size(), static_cast<std::size_t>(left));
}

} // namespace baton::trigger
