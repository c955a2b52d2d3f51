#include "cli/retry_options.hpp"

#include "cli/span.hpp"
#include "libs/protocol/task.hpp"

namespace baton::cli {

namespace {

std::vector<std::string> backoffs()
{
    auto const& names = protocol::names_of<protocol::backoff>;
    return {names.begin(), names.end()};
}

} // namespace

void add_retry_options(CLI::App& command, retry_options& into)
{
    auto* const backoff =
        command
            .add_option(
                "--retry-backoff", into.backoff,
                "The pause before a further attempt: fixed: always --retry-delay (default); exponential: doubled "
                "with each failure, at most --retry-longest")
            ->check(CLI::IsMember(backoffs()));
    command
        .add_option("--retry-longest", into.longest,
                    "Longest pause of --retry-backoff exponential, such as 10m; 1h without this option")
        ->needs(backoff);
    command
        .add_option("--retry-jitter", into.jitter, "Percent of the pause that is added to it at random; 0 without it")
        ->check(CLI::Range(0, 100));
    command.add_option("--final-error", into.final_errors,
                       "A class of errors after which no further attempt is made, such as bad_input; of a command: "
                       "exit_64. May be given again");
    auto const& clients = protocol::names_of<protocol::retry_on>;
    command
        .add_option("--retry-on", into.on,
                    "The client of a further attempt: any: as --routing says (default); other: another one than the "
                    "last, if there is one; same: the last one, if it is still there")
        ->check(CLI::IsMember(std::vector<std::string>(clients.begin(), clients.end())));
}

nlohmann::json retry_of(retry_options const& chosen)
{
    nlohmann::json retry;
    if (!chosen.backoff.empty())
        retry["backoff"] = chosen.backoff;
    if (!chosen.longest.empty() && chosen.backoff != "exponential")
        throw CLI::ValidationError("--retry-longest", "needs --retry-backoff exponential");
    if (!chosen.longest.empty())
        retry["longest_ms"] = option_span("--retry-longest", chosen.longest, 1ms, protocol::longest_span);
    if (chosen.jitter >= 0)
        retry["jitter_percent"] = chosen.jitter;
    if (!chosen.final_errors.empty())
        retry["final_errors"] = chosen.final_errors;
    if (!chosen.on.empty())
        retry["on"] = chosen.on;
    return retry;
}

} // namespace baton::cli
