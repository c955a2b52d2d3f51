#include "libs/protocol/cron_spec.hpp"

#include "libs/base/characters.hpp"
#include "libs/protocol/strict.hpp"

#include <algorithm>
#include <limits>

namespace baton::protocol {

namespace {

template <named Enum>
std::optional<Enum> choice(strict_object& object, char const* key)
{
    if (object.find(key) == nullptr)
        return std::nullopt;
    auto const text = object.text(key, {}, 32);
    auto const field = object.path_of(key);
    if (std::ranges::find(names_of<Enum>, text) == names_of<Enum>.end())
        throw invalid_input(field, field + " must be one of " + list_names<Enum>() + ", not " + in_quotes(text));
    return parse<Enum>(text, field);
}

} // namespace

cron_rules parse_clock_rules(strict_object& object)
{
    cron_rules rules;
    rules.gap = choice<gap_policy>(object, "gap");
    rules.overlap = choice<overlap_policy>(object, "overlap");
    return rules;
}

cron_rules parse_cron_rules(strict_object& object)
{
    auto const dialect = choice<cron_dialect>(object, "dialect").value_or(cron_dialect::crontab);
    auto rules = parse_clock_rules(object);
    rules.dialect = dialect;
    if (object.find("hash_seed") != nullptr)
        rules.hash_seed =
            static_cast<std::uint32_t>(object.number("hash_seed", 0, 0, std::numeric_limits<std::uint32_t>::max()));
    return rules;
}

void write_cron_rules(nlohmann::json& schedule, cron_rules const& rules)
{
    if (rules.dialect != cron_dialect::crontab)
        schedule["dialect"] = to_string(rules.dialect);
    if (rules.gap)
        schedule["gap"] = to_string(*rules.gap);
    if (rules.overlap)
        schedule["overlap"] = to_string(*rules.overlap);
    if (rules.hash_seed)
        schedule["hash_seed"] = *rules.hash_seed;
}

} // namespace baton::protocol
