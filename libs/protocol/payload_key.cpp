#include "libs/protocol/payload_key.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/hash.hpp"

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
    return mix64(fnv1a_64{}.add(text).value());
}

} // namespace baton::protocol
