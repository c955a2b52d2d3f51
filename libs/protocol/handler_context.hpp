#pragma once
// The facts about earlier executions that a task wants its handler to have. Only tasks with a context cost a read
// before their executions are sent.

#include <nlohmann/json.hpp>

namespace baton::protocol {

struct handler_context {
    bool previous = false;     // the execution before
    bool last_success = false; // the latest one that succeeded

    bool any() const { return previous || last_success; }
    friend bool operator==(handler_context const&, handler_context const&) = default;
};

// From ["previous", "last_success"] or a part of it. Throws invalid_input("context").
handler_context parse_context(nlohmann::json const& value);
nlohmann::json to_json(handler_context const& context);

} // namespace baton::protocol
