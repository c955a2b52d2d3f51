#pragma once

#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/revision.hpp"

#include <charconv>
#include <optional>
#include <string>

namespace baton::trigger {

// Does "Authorization: Bearer <secret>" carry this secret? Without a secret, any caller that reaches the port may call,
// except a browser: a page of any site can post to this host's loopback, and its requests have Origin or
// Sec-Fetch-Site.
inline bool authorized(http::request const& request, std::string const& secret)
{
    if (secret.empty())
        return !request.headers.find("Origin") && !request.headers.find("Sec-Fetch-Site");
    return same_secret(request.headers.find("Authorization").value_or(""), "Bearer " + secret);
}

inline http::response client_refused(std::string const& token)
{
    return http::problem(401, "Unauthorized",
                         token.empty() ? "a node takes no messages of web pages: the request has the header Origin or "
                                         "Sec-Fetch-Site, leave it out"
                                       : "the clients' token is missing or wrong");
}

inline http::response node_refused()
{
    return http::problem(401, "Unauthorized", "the secret of this node is missing or wrong");
}

// The answer to a message of a node or web of another release; nothing for this one's.
inline std::optional<http::response> refuse_revision(http::request const& request)
{
    auto const told = request.headers.find(protocol::revision_header).value_or("0");
    int theirs = 0;
    std::from_chars(told.data(), told.data() + told.size(), theirs);
    auto const wrong = protocol::revision_error("the caller", theirs);
    return wrong ? std::optional(http::problem(400, "Other revision", *wrong)) : std::nullopt;
}

// Parses a message of the wire protocol. Throws invalid_input for a body of another form.
template <class Message>
Message read_message(http::request const& request)
{
    return http::parse_as<Message>(request.body);
}

} // namespace baton::trigger
