#include "locks/redis/lines.hpp"

#include "libs/base/error.hpp"

#include <algorithm>

namespace baton::lock {

namespace {

constexpr std::size_t most_lines = 16; // of a store; threads beyond that share the loop's connection

} // namespace

std::shared_ptr<redis_line> redis_lines::borrow(unsigned place, instant until)
{
    auto found = find(place);
    if (!found)
        return nullptr;
    if (found->made && !found->made->seems_alive())
        found->made = nullptr;
    if (!found->made && !open(*found, until)) {
        give_back(std::move(*found));
        forget(place);
        return nullptr;
    }
    auto* const mine = found->made.get();
    auto const back = [this, one = std::make_shared<line>(std::move(*found))](redis_line*) {
        give_back(std::move(*one));
    };
    return std::shared_ptr<redis_line>(mine, back);
}

// An idle one on this way, or the right to make one.
std::optional<redis_lines::line> redis_lines::find(unsigned place)
{
    std::lock_guard const lock(mutex_);
    auto const known = ways_.find(place);
    if (known == ways_.end())
        return std::nullopt;
    auto const fits = [&](line const& each) { return each.by == known->second; };
    if (auto const last = std::find_if(idle_.rbegin(), idle_.rend(), fits); last != idle_.rend()) {
        auto one = std::move(*last);
        idle_.erase(std::next(last).base());
        one.era = era_;
        return one;
    }
    if (lines_ == most_lines && idle_.empty())
        return std::nullopt;
    if (lines_ == most_lines)
        idle_.erase(idle_.begin()); // the longest idle, of another way
    else
        ++lines_;
    return line{known->second, era_, nullptr};
}

bool redis_lines::open(line& one, instant until)
{
    auto const now = time_.now();
    auto const share = now + (until - now) / 4; // the loop is to be asked in what is left
    try {
        one.made = std::make_unique<redis_line>(never_run_, one.by.at, one.by.to, time_, share);
        return true;
    } catch (std::exception const&) {
        return false; // nothing was asked yet: the loop says what there is to say
    }
}

void redis_lines::give_back(line one)
{
    std::lock_guard const lock(mutex_);
    if (one.made && one.made->is_open() && one.era == era_)
        idle_.push_back(std::move(one));
    else
        --lines_;
}

void redis_lines::learn(unsigned place, redis_connection const& by)
{
    auto const& at = by.peer();
    if (!at)
        return;
    way const found{*at, by.where()};
    std::lock_guard const lock(mutex_);
    ways_[place] = found;
}

void redis_lines::forget(unsigned place)
{
    std::lock_guard const lock(mutex_);
    auto const known = ways_.find(place);
    if (known == ways_.end())
        return;
    lines_ -= std::erase_if(idle_, [&](line const& each) { return each.by == known->second; });
    ways_.erase(known);
    ++era_;
}

} // namespace baton::lock
