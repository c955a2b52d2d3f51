#pragma once
// Reads the parts of a request outside its body: path, query and header fields. Strictly: a misspelt filter that is
// ignored would show everything to a caller that asked for little.

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/http/message.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::web {

// The query of a request. Throws invalid_input naming the parameter (400) when it cannot be read, is given twice, or is
// unknown to the endpoint.
class query_parameters {
public:
    explicit query_parameters(http::request const& message) : given_(message.queries()) {}

    std::optional<std::string> text(std::string_view name);
    static constexpr std::size_t longest_search = 200; // characters

    // A part of a text to look for, of 1 to `longest_search` characters.
    std::optional<std::string> searched(std::string_view name);
    std::optional<bool> flag(std::string_view name);
    std::optional<utc_time> moment(std::string_view name);
    std::int64_t number(std::string_view name, std::int64_t fallback, std::int64_t least, std::int64_t most);

    template <protocol::named Choice>
    std::optional<Choice> choice(std::string_view name)
    {
        auto const given = text(name);
        if (!given)
            return std::nullopt;
        if (std::ranges::find(protocol::names_of<Choice>, *given) == protocol::names_of<Choice>.end())
            refuse_choice(name, *given, protocol::list_names<Choice>());
        return protocol::parse<Choice>(*given, std::string(name));
    }

    // Several with commas between them; empty without the parameter.
    template <protocol::named Choice>
    std::vector<Choice> choices(std::string_view name)
    {
        std::vector<Choice> chosen;
        for (auto const& each : list(name)) {
            if (std::ranges::find(protocol::names_of<Choice>, each) == protocol::names_of<Choice>.end())
                refuse_choice(name, each, protocol::list_names<Choice>());
            chosen.push_back(protocol::parse<Choice>(each, std::string(name)));
        }
        return chosen;
    }

    template <class Id>
    std::optional<Id> id(std::string_view name)
    {
        auto const given = text(name);
        return given ? std::optional(Id{parse_number(*given, name)}) : std::nullopt;
    }

    void finish() const; // throws for the first parameter that no call above has named

    // A positive decimal number that an id can be.
    static std::int64_t parse_number(std::string const& text, std::string_view name);

private:
    std::vector<std::string> list(std::string_view name); // the parts between commas
    std::string parameters() const;                       // which ones the endpoint has, for people
    [[noreturn]] static void refuse_choice(std::string_view name, std::string const& given, std::string const& known);

    std::vector<std::pair<std::string, std::string>> given_;
    std::vector<std::string> known_;
};

// A positive decimal number without leading zeros; nothing for other text.
std::optional<std::int64_t> positive_number(std::string_view text);

// The {id} of the path. Text that is not a number names no resource: refused with 404.
std::int64_t path_number(http::request const& message);

template <class Id>
Id path_id(http::request const& message)
{
    return Id{path_number(message)};
}

// For endpoints without parameters.
void expect_no_query(http::request const& message);

// The body, which must be JSON without repeated keys; throws invalid_input (400).
nlohmann::json read_body(http::request const& message);

std::string etag_of(int version);

// If-Match: the version that the caller has seen; nothing without the field or for "*". Throws invalid_input (400) for
// anything but "*" and one ETag of the form that this site gives.
std::optional<int> seen_version(http::request const& message);

// Whether If-None-Match names this version.
bool knows_version(http::request const& message, int version);

// Whether If-None-Match names this ETag, which is written with its quotes.
bool knows_etag(http::request const& message, std::string_view etag);

} // namespace baton::web
