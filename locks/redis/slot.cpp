#include "locks/redis/slot.hpp"

#include <boost/crc.hpp>

namespace baton::lock {

namespace {

using crc16_xmodem = boost::crc_optimal<16, 0x1021, 0, 0, false, false>;

// Only the text between the first '{' and the next '}' is hashed, unless it is empty.
std::string hashed_part(std::string const& key)
{
    auto const begin = key.find('{');
    auto const end = begin == std::string::npos ? begin : key.find('}', begin);
    if (end == std::string::npos || end == begin + 1)
        return key;
    return key.substr(begin + 1, end - begin - 1);
}

} // namespace

unsigned slot_of(std::string const& key)
{
    auto const part = hashed_part(key);
    crc16_xmodem sum;
    sum.process_bytes(part.data(), part.size());
    return sum.checksum() % redis_slots;
}

std::optional<redis_redirect> redirect_of(std::string const& error)
{
    redis_redirect made;
    made.for_good = error.starts_with("MOVED ");
    if (!made.for_good && !error.starts_with("ASK "))
        return std::nullopt;
    auto const address = error.substr(error.rfind(' ') + 1);
    auto const colon = address.rfind(':'); // an IPv6 address has more of them, and no brackets
    if (colon == std::string::npos)
        return std::nullopt;
    made.host = address.substr(0, colon);
    made.port = address.substr(colon + 1);
    return made;
}

} // namespace baton::lock
