#include "web/query_parameters.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"
#include "web/refusal.hpp"

#include <climits>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>

namespace baton::web {

namespace {

std::string named(std::string_view name, char const* rest)
{
    return std::string(name) + rest;
}

template <class Number>
std::optional<Number> whole(std::string_view text)
{
    Number value{};
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

std::string_view trimmed(std::string_view text)
{
    auto const first = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// The version in an ETag that etag_of has made, "\"7\""; nothing for another.
std::optional<int> version_of(std::string_view tag)
{
    if (tag.size() < 3 || tag.front() != '"' || tag.back() != '"')
        return std::nullopt;
    auto const version = positive_number(tag.substr(1, tag.size() - 2));
    return version ? std::optional(static_cast<int>(std::min<std::int64_t>(*version, INT_MAX))) : std::nullopt;
}

} // namespace

std::optional<std::int64_t> positive_number(std::string_view text)
{
    auto const value = whole<std::int64_t>(text);
    return value && *value > 0 && text.front() != '0' ? value : std::nullopt;
}

std::optional<std::string> query_parameters::text(std::string_view name)
{
    known_.emplace_back(name);
    std::optional<std::string> found;
    for (auto const& [key, value] : given_) {
        if (key != name)
            continue;
        if (found)
            throw invalid_input(std::string(name), named(name, " is given twice"));
        found = value;
    }
    return found;
}

std::optional<std::string> query_parameters::searched(std::string_view name)
{
    auto found = text(name);
    if (!found)
        return std::nullopt;
    auto const length = count_characters(*found);
    if (length == 0 || length > longest_search)
        throw invalid_input(std::string(name), std::string(name) + " must have 1 to " + std::to_string(longest_search) +
                                                   " characters, and has " + std::to_string(length));
    return found;
}

std::vector<std::string> query_parameters::list(std::string_view name)
{
    std::vector<std::string> parts;
    auto const given = text(name);
    if (!given)
        return parts;
    for (std::size_t from = 0; from <= given->size();) {
        auto const comma = std::min(given->find(',', from), given->size());
        parts.push_back(given->substr(from, comma - from));
        from = comma + 1;
    }
    return parts;
}

void query_parameters::refuse_choice(std::string_view name, std::string const& given, std::string const& known)
{
    throw invalid_input(std::string(name), named(name, " must be one of ") + known + ", not " + in_quotes(given));
}

std::optional<bool> query_parameters::flag(std::string_view name)
{
    auto const given = text(name);
    if (!given)
        return std::nullopt;
    if (*given != "true" && *given != "false")
        throw invalid_input(std::string(name), named(name, " must be true or false, not ") + in_quotes(*given) +
                                                   "; write for example " + std::string(name) + "=true");
    return *given == "true";
}

std::optional<utc_time> query_parameters::moment(std::string_view name)
{
    auto const given = text(name);
    if (!given)
        return std::nullopt;
    try {
        return from_rfc3339(*given);
    } catch (std::invalid_argument const&) {
        throw invalid_input(std::string(name),
                            named(name, " must be a time such as 2026-03-29T01:30:00Z, not ") + in_quotes(*given));
    }
}

std::int64_t query_parameters::number(std::string_view name, std::int64_t fallback, std::int64_t least,
                                      std::int64_t most)
{
    auto const given = text(name);
    if (!given)
        return fallback;
    auto const value = whole<std::int64_t>(*given);
    if (!value || *value < least || *value > most)
        throw invalid_input(std::string(name), named(name, " must be a whole number from ") + std::to_string(least) +
                                                   " to " + std::to_string(most) + ", not " + in_quotes(*given) +
                                                   "; write for example " + std::string(name) + "=" +
                                                   std::to_string(std::clamp(fallback, least, most)));
    return *value;
}

void query_parameters::finish() const
{
    for (auto const& [name, value] : given_)
        if (std::ranges::find(known_, name) == known_.end())
            throw invalid_input(name, "unknown query parameter " + in_quotes(name) + "; leave it out, " + parameters());
}

std::string query_parameters::parameters() const
{
    std::set<std::string> const names(known_.begin(), known_.end());
    std::string all;
    for (auto const& name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? "this request has none" : "the parameters here are: " + all;
}

std::int64_t query_parameters::parse_number(std::string const& text, std::string_view name)
{
    auto const value = positive_number(text);
    if (!value)
        throw invalid_input(std::string(name),
                            named(name, " must be an id, a positive decimal number such as 4711, not ") +
                                in_quotes(text));
    return *value;
}

std::int64_t path_number(http::request const& message)
{
    auto const& text = message.params.at("id");
    auto const value = positive_number(text);
    if (!value)
        throw refused(404, in_quotes(text) + " is not an id: ids are positive decimal numbers such as 4711", "id");
    return *value;
}

void expect_no_query(http::request const& message)
{
    query_parameters(message).finish();
}

nlohmann::json read_body(http::request const& message)
{
    if (message.body.empty())
        throw invalid_input("", "this request needs a JSON document as its body");
    return protocol::parse_document(message.body);
}

std::string etag_of(int version)
{
    return '"' + std::to_string(version) + '"';
}

std::optional<int> seen_version(http::request const& message)
{
    auto const given = message.headers.find("If-Match");
    if (!given)
        return std::nullopt;
    auto const tag = trimmed(*given);
    if (tag == "*")
        return std::nullopt;
    if (auto const version = version_of(tag))
        return version;
    throw invalid_input("If-Match",
                        "If-Match must be * or one ETag as the task's ETag field gives it, such as \"7\", not " +
                            in_quotes(*given));
}

namespace {

// Whether If-None-Match is "*" or has a tag, weak or not, for which `is_known` is true.
bool any_known(http::request const& message, std::function<bool(std::string_view)> const& is_known)
{
    auto const given = message.headers.find("If-None-Match");
    std::string_view rest = given ? std::string_view(*given) : std::string_view();
    while (!rest.empty()) {
        auto const part = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        auto tag = trimmed(part);
        if (tag.starts_with("W/"))
            tag.remove_prefix(2);
        if (tag == "*" || is_known(tag))
            return true;
    }
    return false;
}

} // namespace

bool knows_version(http::request const& message, int version)
{
    return any_known(message, [version](std::string_view tag) { return version_of(tag) == version; });
}

bool knows_etag(http::request const& message, std::string_view etag)
{
    return any_known(message, [etag](std::string_view tag) { return tag == etag; });
}

} // namespace baton::web
