#pragma once
// What a task wants its handler to be told of its earlier executions. Only tasks that want something cost a read before
// they are sent.

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
