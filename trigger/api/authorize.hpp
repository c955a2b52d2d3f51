#pragma once

#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"

#include <string>

namespace baton::trigger {

// "Authorization: Bearer <secret>" carries this secret. Where none is asked for, whoever reaches this port may call,
// but not through a browser: a page of any site can post to this host's loopback, and then there is an Origin.
inline bool authorized(http::request const& request, std::string const& secret)
{
    if (secret.empty())
        return !request.headers.find("Origin");
    return same_secret(request.headers.find("Authorization").value_or(""), "Bearer " + secret);
}

// A message of the wire protocol. Throws invalid_input when the body is not what it should be.
template <class Message>
Message read_message(http::request const& request)
{
    return http::parse_as<Message>(request.body);
}

} // namespace baton::trigger
