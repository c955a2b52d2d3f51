#pragma once
// The description and the payload schema of a handler, for the people who register tasks for it.

#include <nlohmann/json.hpp>

#include <string>

namespace baton::client {

// The service announces it when it registers, and the page and `baton services handlers` show it. Neither the servers
// nor the SDK validate payloads against the schema, because the next deployment may bring another one: the handler must
// check its payload.
struct handler_info {
    std::string description = {}; // one line of at most 200 characters
    // A JSON Schema of the payload: an object, true or false; null: none. With the name and the description at most
    // 8 KiB as JSON text, and 64 KiB for all handlers of the service.
    nlohmann::json payload_schema = nullptr;
};

} // namespace baton::client
