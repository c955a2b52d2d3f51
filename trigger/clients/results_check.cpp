#include "trigger/clients/results_check.hpp"

#include "libs/base/characters.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/outcome.hpp"

namespace baton::trigger {

namespace {

std::string reportable()
{
    std::string names(protocol::to_string(protocol::state::running));
    for (std::size_t i = 0; i < protocol::names_of<protocol::state>.size(); ++i)
        if (protocol::is_reported_end(static_cast<protocol::state>(i)))
            names.append(", ").append(protocol::names_of<protocol::state>[i]);
    return names;
}

// The type of the member has more values, which only nodes use.
std::string with_reportable(std::string text)
{
    auto const all = protocol::list_names<protocol::state>();
    if (auto const at = text.find(all); at != std::string::npos)
        text.replace(at, all.size(), reportable());
    return text;
}

} // namespace

protocol::results_request read_results(std::string const& body)
{
    protocol::results_request message;
    try {
        message = http::parse_as<protocol::results_request>(body);
    } catch (invalid_input const& wrong) {
        throw invalid_input(wrong.field(), with_reportable(wrong.what()));
    }
    for (auto const& one : message.results)
        if (one.status != protocol::state::running && !protocol::is_reported_end(one.status))
            throw invalid_input("status", "status must be one of " + reportable() + ", not " +
                                              in_quotes(protocol::to_string(one.status)));
    return message;
}

} // namespace baton::trigger
