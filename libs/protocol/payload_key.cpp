#include "libs/protocol/payload_key.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

namespace baton::protocol {

void check_pointer(std::string const& pointer, char const* field)
{
    try {
        (void)nlohmann::json::json_pointer(pointer);
    } catch (nlohmann::json::exception const&) {
        throw invalid_input(field, std::string(field) + " must be a JSON pointer such as /customer, not " +
                                       in_quotes(pointer));
    }
}

std::optional<std::string> value_at(std::string const& pointer, json_text const& payload)
{
    try {
        return payload.parse().at(nlohmann::json::json_pointer(pointer)).dump();
    } catch (nlohmann::json::exception const&) {
        return std::nullopt;
    }
}

std::uint64_t stable_hash(std::string_view text)
{
    std::uint64_t hash = 14'695'981'039'346'656'037u;
    for (unsigned char const c : text)
        hash = (hash ^ c) * 1'099'511'628'211u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

} // namespace baton::protocol
