#pragma once

#include "libs/protocol/node_wire.hpp"

#include <cstddef>
#include <deque>
#include <iterator>
#include <string_view>
#include <vector>

namespace baton::trigger {

// The sizes of a report's parts as JSON text, at most, so that no report exceeds what a node reads (4 MiB). Pure.

std::size_t json_bytes(std::string_view text);
std::size_t json_bytes(protocol::handler_capacity const& one);
std::size_t json_bytes(protocol::service_capacity const& one);
std::size_t json_bytes(protocol::client_places const& one);
std::size_t json_bytes(protocol::delivered const& one);
std::size_t json_bytes(protocol::undelivered const& one);
std::size_t json_bytes(protocol::finished const& one);
std::size_t json_bytes(protocol::attempt_key const& one);

// Drops the last sets of handlers that exceed this size together. Returns how many.
std::size_t shorten(protocol::service_capacity& one, std::size_t bytes);

// Takes entries from the front: at most `most`, and `bytes` together unless the first one alone is larger.
template <class T>
std::vector<T> take_front(std::deque<T>& from, std::size_t most, std::size_t bytes)
{
    std::size_t count = 0;
    for (std::size_t sum = 0; count < from.size() && count < most; ++count) {
        sum += json_bytes(from[count]);
        if (count != 0 && sum > bytes)
            break;
    }
    auto const end = from.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<T> taken(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
    return taken;
}

} // namespace baton::trigger
