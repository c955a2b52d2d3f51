#include "trigger/delivery/report_size.hpp"

namespace baton::trigger {

namespace {
// The names of the members, the punctuation, and numbers of up to twenty digits.
constexpr std::size_t class_frame = 80;
constexpr std::size_t service_frame = 50;
constexpr std::size_t places_frame = 60;
constexpr std::size_t delivered_frame = 140;
constexpr std::size_t undelivered_frame = 140;
constexpr std::size_t finished_frame = 140;
constexpr std::size_t key_frame = 60;
} // namespace

// With the quotes and a comma. A control character becomes \u and four digits.
std::size_t json_bytes(std::string_view text)
{
    std::size_t bytes = 3;
    for (unsigned char const c : text)
        bytes += c < 0x20 ? 6 : c == '"' || c == '\\' ? 2 : 1;
    return bytes;
}

std::size_t json_bytes(protocol::handler_capacity const& one)
{
    auto bytes = class_frame;
    for (auto const& handler : one.handlers)
        bytes += json_bytes(handler);
    return bytes;
}

std::size_t json_bytes(protocol::service_capacity const& one)
{
    auto bytes = service_frame + json_bytes(one.project) + json_bytes(one.service);
    for (auto const& each : one.classes)
        bytes += json_bytes(each);
    return bytes;
}

std::size_t json_bytes(protocol::client_places const& one)
{
    return places_frame + json_bytes(one.instance);
}

std::size_t json_bytes(protocol::delivered const& one)
{
    return delivered_frame + json_bytes(one.client);
}

std::size_t json_bytes(protocol::undelivered const& one)
{
    return undelivered_frame + json_bytes(one.client) + json_bytes(one.why);
}

std::size_t json_bytes(protocol::finished const&)
{
    return finished_frame;
}

std::size_t json_bytes(protocol::attempt_key const&)
{
    return key_frame;
}

std::size_t shorten(protocol::service_capacity& one, std::size_t bytes)
{
    auto sum = service_frame + json_bytes(one.project) + json_bytes(one.service);
    std::size_t kept = 0;
    while (kept < one.classes.size() && sum + json_bytes(one.classes[kept]) <= bytes)
        sum += json_bytes(one.classes[kept++]);
    auto const dropped = one.classes.size() - kept;
    one.classes.resize(kept);
    return dropped;
}

} // namespace baton::trigger
