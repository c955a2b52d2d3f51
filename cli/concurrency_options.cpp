#include "cli/concurrency_options.hpp"

#include "libs/protocol/concurrency.hpp"

namespace baton::cli {

void add_concurrency_options(CLI::App& command, concurrency_options& into)
{
    auto const& names = protocol::names_of<protocol::when_full>;
    auto* const limit =
        command
            .add_option("--concurrency", into.limit,
                        "At most so many executions of the task are under way at the same time; no limit without it")
            ->check(CLI::Range(1, protocol::most_concurrent));
    command
        .add_option(
            "--when-full", into.when_full,
            "With --concurrency, what becomes of an execution that is due while so many are under way: wait: it "
            "waits its turn (default); skip: it is skipped; replace: it takes the place of those that wait, and "
            "the one that has been under way longest is cancelled")
        ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
        ->needs(limit);
    command.add_option("--queue", into.queue, "With --when-full wait: so many may wait, further ones are skipped")
        ->check(CLI::Range(0, protocol::most_concurrent))
        ->needs(limit);
    command
        .add_option("--concurrency-key", into.key,
                    "JSON pointer into the payload, such as /customer: the limit is that of each value")
        ->needs(limit);
}

nlohmann::json concurrency_of(concurrency_options const& chosen)
{
    if (chosen.limit == 0)
        return nullptr;
    nlohmann::json concurrency{{"limit", chosen.limit}};
    if (!chosen.when_full.empty())
        concurrency["when_full"] = chosen.when_full;
    if (chosen.queue >= 0 && !chosen.when_full.empty() && chosen.when_full != "wait")
        throw CLI::ValidationError("--queue", "is for --when-full wait, not for " + chosen.when_full);
    if (chosen.queue >= 0)
        concurrency["queue"] = chosen.queue;
    if (!chosen.key.empty())
        concurrency["key"] = chosen.key;
    return concurrency;
}

} // namespace baton::cli
