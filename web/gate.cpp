#include "web/gate.hpp"

#include "libs/base/random.hpp"
#include "web/refusal.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace baton::web {

namespace {

std::string bearer(http::request const& message)
{
    std::string const scheme = "bearer ";
    auto const given = message.headers.find("Authorization").value_or("");
    auto const same = [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); };
    bool const fits = given.size() > scheme.size() && std::equal(scheme.begin(), scheme.end(), given.begin(), same);
    return fits ? given.substr(scheme.size()) : std::string();
}

std::optional<http::url> readable(std::string const& text)
{
    try {
        return http::parse_url(text);
    } catch (invalid_input const&) {
        return std::nullopt;
    }
}

void admit_local(http::request const& message)
{
    auto const host = message.headers.find("Host");
    auto const here = host ? readable("http://" + *host) : std::nullopt;
    if (host && (!here || !http::is_loopback(here->host)))
        throw refused(403, "without a token this API answers only to loopback names such as localhost; configure one");
    if (auto const origin = message.headers.find("Origin"); origin && (!here || readable(*origin) != here))
        throw refused(403, "another site's page must not use this API");
    // A browser leaves Origin out of some requests; this field is in all of them, and no page can set it.
    auto const site = message.headers.find("Sec-Fetch-Site");
    if (site && *site != "same-origin" && *site != "none")
        throw refused(403, "another site's page must not use this API");
}

} // namespace

void admit(http::request const& message, std::string const& token)
{
    if (token.empty())
        admit_local(message);
    else if (!same_secret(bearer(message), token))
        throw refused(401, "this API needs the header 'Authorization: Bearer TOKEN' with the token of web");
}

bool may_enter(http::request const& message, std::string const& token)
{
    try {
        admit(message, token);
        return true;
    } catch (refused const&) {
        return false;
    }
}

} // namespace baton::web
