#include "libs/schedule/zone_rules.hpp"

#include "libs/schedule/checksum.hpp"

#include <algorithm>

namespace baton::schedule {

namespace {

namespace chr = std::chrono;

constexpr chr::sys_seconds first_compared = chr::sys_days{chr::year{2025} / 1 / 1};
constexpr chr::year last_in_table{2100}; // later years are computed at each look
// So far away that additions to it do not overflow.
constexpr chr::sys_seconds far_future{chr::duration_cast<chr::seconds>(chr::years{20'000})};
constexpr chr::sys_seconds far_past{-chr::duration_cast<chr::seconds>(chr::years{20'000})};

chr::year year_of(chr::sys_seconds at)
{
    return chr::year_month_day{chr::floor<chr::days>(at)}.year();
}

} // namespace

local_time zone_period::local(utc_time at) const
{
    return local_time{chr::floor<chr::seconds>(at).time_since_epoch() + offset};
}

zone_rules::zone_rules(std::string name, std::int32_t first_offset, std::vector<offset_change> const& changes,
                       std::optional<posix_rule> after)
    : name_(std::move(name)), first_offset_(first_offset), after_(std::move(after))
{
    for (auto const& change : changes)
        append(change);
    if (!after_)
        return;
    auto const last = changes.empty() ? far_past : changes.back().at;
    if (!after_->daylight) {
        if (changes.empty())
            first_offset_ = after_->offset;
        return;
    }
    for (auto year = changes.empty() ? chr::year{1970} : std::max(year_of(last), chr::year{1850});
         year <= last_in_table; year += chr::years{1})
        for (auto const& change : after_->changes_in(year))
            if (change.at > last)
                append(change);
}

void zone_rules::append(offset_change change)
{
    // Two at one instant: the second one holds. So a rule may end daylight time at the instant at which it begins anew.
    if (!changes_.empty() && changes_.back().at == change.at)
        changes_.pop_back();
    if (offset_before(changes_.end()) != change.offset)
        changes_.push_back(change);
}

std::int32_t zone_rules::offset_before(std::vector<offset_change>::const_iterator change) const
{
    return change == changes_.begin() ? first_offset_ : (change - 1)->offset;
}

zone_period zone_rules::at(utc_time when) const
{
    auto const after = [](utc_time instant, offset_change const& change) { return instant < change.at; };
    auto const next = std::upper_bound(changes_.begin(), changes_.end(), when, after);
    if (next == changes_.end() && after_ && after_->daylight && when < far_future)
        return behind_table(when);
    auto const begin = next == changes_.begin() ? far_past : (next - 1)->at;
    auto const end = next == changes_.end() ? far_future : next->at;
    return {begin, end, chr::seconds{offset_before(next)}};
}

zone_period zone_rules::behind_table(utc_time when) const
{
    auto const last = changes_.empty() ? far_past : changes_.back().at;
    zone_period found{last, far_future, chr::seconds{offset_before(changes_.end())}};
    auto const present = year_of(chr::floor<chr::seconds>(when));
    for (auto year = present - chr::years{1}; year <= present + chr::years{1}; year += chr::years{1})
        for (auto const& change : after_->changes_in(year)) {
            if (change.at <= last)
                continue;
            if (change.at > when) {
                found.end = change.at;
                return found;
            }
            found.begin = change.at;
            found.offset = chr::seconds{change.offset};
        }
    return found;
}

std::string zone_rules::fingerprint() const
{
    auto const from = std::ranges::upper_bound(changes_, first_compared, {}, &offset_change::at);
    checksum sum;
    sum.add(std::int64_t{offset_before(from)});
    for (auto change = from; change != changes_.end() && year_of(change->at) <= last_in_table; ++change) {
        sum.add(std::int64_t{change->at.time_since_epoch().count()});
        sum.add(std::int64_t{change->offset});
    }
    return sum.hex();
}

zone_rules zone_rules::spliced(zone_rules const& before, zone_rules const& after, utc_time line)
{
    auto result = after;
    auto const cut = chr::ceil<chr::seconds>(line);
    result.first_offset_ = before.first_offset_;
    result.changes_.clear();
    for (auto const& change : before.changes_)
        if (change.at < cut)
            result.append(change);
    result.append({cut, static_cast<std::int32_t>(after.at(cut).offset.count())});
    for (auto const& change : after.changes_)
        if (change.at > cut)
            result.append(change);
    return result;
}

} // namespace baton::schedule
