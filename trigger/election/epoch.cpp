#include "trigger/election/epoch.hpp"

#include "libs/lease/lease_store.hpp"

#include <algorithm>
#include <limits>

namespace baton::trigger {

namespace {

// The next epoch, if there is one: an epoch from another node may be any number.
constexpr std::int64_t after(std::int64_t epoch)
{
    return epoch == std::numeric_limits<std::int64_t>::max() ? epoch : epoch + 1;
}

} // namespace

std::string_view to_string(epoch_rule rule)
{
    return rule == epoch_rule::counted ? "counted" : "hybrid";
}

std::optional<epoch_rule> parse_epoch_rule(std::string_view text)
{
    for (auto const rule : {epoch_rule::counted, epoch_rule::hybrid})
        if (text == to_string(rule))
            return rule;
    return std::nullopt;
}

std::int64_t next_epoch(epoch_rule rule, lease::lease_row const& row, std::int64_t highest_heard)
{
    if (rule == epoch_rule::counted)
        return after(row.epoch);
    return std::max({after(row.epoch), to_micros(row.utc) / 1'000, after(highest_heard)});
}

} // namespace baton::trigger
