#include "cli/cron_options.hpp"

namespace baton::cli {

void add_cron_options(CLI::App& command, cron_options& chosen, CLI::Option* cron)
{
    auto* const dialect =
        command.add_option("--dialect", chosen.dialect,
                           "How the expression is read: crontab (default), or quartz: seconds first, then the year as "
                           "an option, with ?, L, W and #");
    auto* const gap = command.add_option("--gap", chosen.gap,
                                         "A time that the clock skips: skip, next_valid (once, at the end of the gap) "
                                         "or shift (as much later as the gap is long)");
    auto* const overlap = command.add_option("--overlap", chosen.overlap,
                                             "A time that the clock shows twice fires at: first, second or both");
    auto* const seed = command.add_option("--hash-seed", chosen.hash_seed,
                                          "Seed of the values that the expression writes as H; without it that of "
                                          "the project and the name");
    dialect->check(CLI::IsMember({"crontab", "quartz"}));
    gap->check(CLI::IsMember({"skip", "next_valid", "shift"}));
    overlap->check(CLI::IsMember({"first", "second", "both"}));
    seed->check(CLI::Range(std::int64_t{0}, std::int64_t{4'294'967'295}));
    for (auto* const option : {dialect, seed})
        if (cron != nullptr)
            option->needs(cron);
}

void write_cron_options(nlohmann::json& schedule, cron_options const& chosen)
{
    if (!chosen.dialect.empty())
        schedule["dialect"] = chosen.dialect;
    if (!chosen.gap.empty())
        schedule["gap"] = chosen.gap;
    if (!chosen.overlap.empty())
        schedule["overlap"] = chosen.overlap;
    if (chosen.hash_seed >= 0)
        schedule["hash_seed"] = chosen.hash_seed;
}

} // namespace baton::cli
