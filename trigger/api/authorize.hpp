#pragma once

#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"

#include <string>

namespace baton::trigger {

// Does "Authorization: Bearer <secret>" carry this secret? Without a secret, any caller that reaches the port may call,
// except a browser: a page of any site can post to this host's loopback, and its requests have an Origin.
inline bool authorized(http::request const& request, std::string const& secret)
{
    if (secret.empty())
        return !request.headers.find("Origin");
    return same_secret(request.headers.find("Authorization").value_or(""), "Bearer " + secret);
}

// Parses a message of the wire protocol. Throws invalid_input for a body of another form.
template <class Message>
Message read_message(http::request const& request)
{
    return http::parse_as<Message>(request.body);
}

} // namespace baton::trigger
