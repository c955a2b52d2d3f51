#pragma once
// Parsing message bodies into the types of libs/protocol.

#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

// Parses a body by from_text(text, message) if argument-dependent lookup finds it, and as JSON otherwise. Throws
// invalid_input.
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

// Like parse_as(), but returns nothing for an invalid body: for answers, where nonsense counts as no answer.
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
