#pragma once
// Writing without a coroutine switch. Private to this folder.

#include "libs/base/asio.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <algorithm>
#include <array>

namespace baton::http {

using message_parts = std::array<asio::const_buffer, 2>; // head and body

// Writes as much as a non-blocking socket accepts at once, usually the whole message, and leaves the rest in `parts`.
// Returns the number of bytes written.
inline std::size_t write_now(asio::ip::tcp::socket& socket, message_parts& parts, error_code& failed)
{
    auto const sent = socket.write_some(parts, failed);
    if (failed == asio::error::would_block || failed == asio::error::try_again)
        failed = {};
    auto left = sent;
    for (auto& part : parts) {
        auto const here = std::min(left, part.size());
        part += here;
        left -= here;
    }
    return sent;
}

} // namespace baton::http
