#pragma once
// Requests from the client to the nodes.

#include "libs/base/loop.hpp"
#include "libs/base/random.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::client {

struct link_settings {
    std::vector<http::url> nodes;        // at least one
    std::string token;                   // shared with the nodes; may be empty
    protocol::register_request identity; // without the terms
    duration heartbeat = 5s;
};

struct node_calls_parts {
    time_source& time;
    random_source& random;
    http::client& http;
};

// The nodes of the list, in a random order, and those that a home has named, by their index; and calls to them with the
// shared token. On the loop only. The order differs between clients with the same list, so that those that start
// together, or whose node dies, spread over the nodes.
class node_calls {
public:
    node_calls(node_calls_parts parts, link_settings const& settings);

    // The answer, or nothing without one; `why`, if given, then becomes the reason. Logs a refusal unless the node gave
    // the same one last.
    awaitable<std::optional<http::response>> post(std::size_t node, char const* path, std::string json, duration limit,
                                                  std::string* why = nullptr);

    std::size_t count() const { return nodes_.size(); }
    std::size_t first() const { return 0; }
    // The node with this address; adds one that the home has named. Beyond a thousand such nodes it takes the place of
    // the one that was named first, but never that of `home`. Nothing if it is no address.
    std::optional<std::size_t> find_or_add(std::string const& address, std::size_t home);
    std::size_t after(std::size_t node) const { return (node + 1) % nodes_.size(); }
    std::string name(std::size_t node) const { return nodes_[node].text(); }

    // The pause after so many failures in a row: doubles from 100 ms to `longest`; half of it is random.
    duration pause(int failures, duration longest);
    duration drawn(duration longest); // at random, from 0

    time_source& time() { return parts_.time; }
    random_source& random() { return parts_.random; }

private:
    void note_refusal(std::size_t node, char const* path, http::response const& answer);

    node_calls_parts parts_;
    std::vector<http::url> nodes_;
    std::string token_;
    std::size_t given_;                                                   // nodes of the list
    std::size_t named_ = 0;                                               // nodes that homes have named, so far
    std::map<std::pair<std::size_t, std::string>, std::string> refusals_; // the last answer, empty if it was none
};

} // namespace baton::client
