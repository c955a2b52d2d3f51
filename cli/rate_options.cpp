#include "cli/rate_options.hpp"

#include "cli/config/duration.hpp"
#include "cli/span.hpp"
#include "libs/protocol/rate_limit.hpp"

namespace baton::cli {

void add_rate_options(CLI::App& command, rate_options& into, std::string const& whose)
{
    auto* const rate = command.add_option("--rate", into.rate,
                                          "At most so many attempts of " + whose +
                                              " are sent in a span of time, such as 100/1m; what is above waits");
    command
        .add_option("--burst", into.burst,
                    "With --rate, so many may go at once after a time without any (default: one, and as many as half a "
                    "second gives)")
        ->check(CLI::Range(1, 2 * protocol::most_in_a_rate))
        ->needs(rate);
}

nlohmann::json rate_of(rate_options const& chosen)
{
    if (chosen.rate.empty())
        return nullptr;
    if (chosen.rate == "none")
        return {{"limit", 0}};
    auto const slash = chosen.rate.find('/');
    auto const number = chosen.rate.substr(0, slash);
    bool const is_number = !number.empty() && number.size() <= 7 &&
                           number.find_first_not_of("0123456789") == std::string::npos && std::stoi(number) > 0;
    if (slash == std::string::npos || slash + 1 == chosen.rate.size() || !is_number)
        throw CLI::ValidationError("--rate", "must be a number and a span of time, such as 100/1m, or none, not '" +
                                                 chosen.rate + "'");
    nlohmann::json rate{{"limit", std::stoi(number)},
                        {"per_ms", option_span("--rate", chosen.rate.substr(slash + 1), protocol::shortest_rate_span,
                                               protocol::longest_rate_span)}};
    if (chosen.burst != 0)
        rate["burst"] = chosen.burst;
    return rate;
}

std::string rate_text(nlohmann::json const& rate)
{
    if (!rate.is_object() || rate.value("limit", 0) == 0)
        return "-";
    auto const per = std::chrono::milliseconds{rate.at("per_ms").get<std::int64_t>()};
    return std::to_string(rate.at("limit").get<int>()) + '/' + format_duration(per) + ", burst " +
           std::to_string(rate.at("burst").get<int>());
}

} // namespace baton::cli
