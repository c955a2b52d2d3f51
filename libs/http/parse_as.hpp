#pragma once

#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

// A body as a message: by its own from_text(text, message), found by argument-dependent lookup, or out of its JSON.
// Throws invalid_input.
template <class Message>
Message parse_as(std::string const& body)
{
    Message message;
    if constexpr (requires { from_text(std::string_view(body), message); }) {
        from_text(std::string_view(body), message);
    } else {
        auto const json = parse_json(body);
        try {
            json.get_to(message);
        } catch (nlohmann::json::exception const& wrong) {
            throw invalid_input("", wrong.what());
        }
    }
    return message;
}

// The same, or nothing when the body is not such a message: who answers nonsense has not answered.
template <class Message>
std::optional<Message> parse_if(std::string const& body)
{
    try {
        return parse_as<Message>(body);
    } catch (invalid_input const&) {
        return std::nullopt;
    }
}

} // namespace baton::http
