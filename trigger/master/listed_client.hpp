#pragma once

#include "libs/protocol/offers.hpp"
#include "libs/protocol/service_key.hpp"
#include "trigger/master/short_name.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>

namespace baton::trigger {

struct handler_set {
    std::string const* text = nullptr; // JSON, as in the table
    std::set<std::string, std::less<>> names;
    std::size_t clients = 0;
};

// A client in the master's directory. What many clients share is stored once.
struct listed_client {
    short_name name{}; // of its instance
    protocol::service_key const* service = nullptr;
    std::string const* home = nullptr; // incarnation
    handler_set const* handlers = nullptr;
    bool takes_work = true; // false: it drains, or its home cannot call it
    bool draining = false;
    int places = 1; // slots and places in its queue

    std::string_view instance() const { return name.view(); }
    // The demand for a handler, with a tag or without (libs/protocol/offers.hpp).
    bool serves(std::string const& demand) const { return protocol::meets(handlers->names, demand); }
};

} // namespace baton::trigger
