#include "libs/protocol/firing_skips.hpp"

#include "libs/protocol/strict.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

utc_time instant_in(strict_object& object, char const* key)
{
    auto const text = object.need_text(key, 40);
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        throw invalid_input(object.path_of(key), object.path_of(key) + " must be a time such as 2026-03-29T01:30:00Z");
    }
}

} // namespace

std::vector<firing_skip> parse_skips(strict_object& schedule)
{
    std::vector<firing_skip> skips;
    auto const* const given = schedule.find("skips");
    if (given == nullptr)
        return skips;
    if (!given->is_array() || given->size() > most_stored_skips)
        throw invalid_input("schedule.skips",
                            "schedule.skips is written by the server: leave it out, and skip firings by skip-next");
    for (auto const& each : *given) {
        strict_object object(each, "schedule.skips");
        firing_skip skip;
        skip.firing = instant_in(object, "firing");
        skip.asked_at = instant_in(object, "asked_at");
        skip.by = object.text("by", {}, longest_skip_author);
        skip.reason = object.text("reason", {}, longest_skip_reason);
        object.finish();
        skips.push_back(std::move(skip));
    }
    std::ranges::sort(skips, {}, &firing_skip::firing);
    return skips;
}

void write_skips(nlohmann::json& schedule, std::vector<firing_skip> const& skips)
{
    for (auto const& skip : skips)
        schedule["skips"].push_back({{"firing", to_rfc3339(skip.firing)},
                                     {"asked_at", to_rfc3339(skip.asked_at)},
                                     {"by", skip.by},
                                     {"reason", skip.reason}});
}

void check_no_skips(std::vector<firing_skip> const& skips)
{
    if (!skips.empty())
        throw invalid_input("schedule.skips",
                            "schedule.skips is written by the server: leave it out, and skip firings by skip-next");
}

firing_skip const* skip_of(std::vector<firing_skip> const& skips, utc_time firing)
{
    auto const found = std::ranges::lower_bound(skips, firing, {}, &firing_skip::firing);
    return found != skips.end() && found->firing == firing ? &*found : nullptr;
}

std::string to_text(firing_skip const& skip)
{
    auto const author = skip.by.empty() ? "" : " of " + skip.by;
    return "skipped on request" + author + (skip.reason.empty() ? "" : ": " + skip.reason);
}

} // namespace baton::protocol
