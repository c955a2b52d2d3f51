#include "libs/schedule/zone_rules.hpp"

#include <algorithm>

namespace baton::schedule {

namespace chr = std::chrono;

local_time zone_period::local(utc_time at) const
{
    return local_time{chr::floor<chr::seconds>(at).time_since_epoch() + offset};
}

zone_sources spliced(zone_sources const& before, zone_sources const& after, utc_time line)
{
    auto const cut = chr::ceil<chr::seconds>(line);
    zone_sources all;
    for (auto const& one : before) {
        all.push_back({one.file, std::min(one.until, cut)});
        if (one.until >= cut)
            break;
    }
    std::ranges::copy_if(after, std::back_inserter(all), [&](auto const& one) { return one.until > cut; });
    return all;
}

zone_pointer zone_rules::read(std::string name, zone_sources const& sources)
{
    parts all;
    for (auto const& [file, until] : sources)
        if (auto const rules = file ? file_rules::read(*file) : std::optional{file_rules{}})
            all.push_back({*rules, until});
        else if (!all.empty())
            all.back().until = until;
    if (all.empty())
        return nullptr;
    return zone_pointer(new zone_rules(std::move(name), std::move(all)));
}

// The span of the part's rules, cut at its lines.
offset_span zone_rules::within(parts::const_iterator one, chr::sys_seconds when) const
{
    auto span = one->rules.at(when);
    if (one != parts_.begin())
        span.begin = std::max(span.begin, (one - 1)->until);
    span.end = std::min(span.end, one->until);
    return span;
}

zone_period zone_rules::at(utc_time when) const
{
    auto const second = chr::floor<chr::seconds>(when);
    auto const here = std::min(std::ranges::upper_bound(parts_, second, {}, &part::until), parts_.end() - 1);
    auto found = within(here, second);
    for (auto one = here; one != parts_.begin() && found.begin == (one - 1)->until;) {
        auto const before = within(--one, found.begin - chr::seconds{1});
        if (before.offset != found.offset)
            break;
        found.begin = before.begin;
    }
    for (auto one = here; one != parts_.end() - 1 && found.end == one->until;) {
        auto const after = within(++one, found.end);
        if (after.offset != found.offset)
            break;
        found.end = after.end;
    }
    return {found.begin, found.end, found.offset};
}

} // namespace baton::schedule
