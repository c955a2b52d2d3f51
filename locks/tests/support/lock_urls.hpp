#pragma once
// The stores of the lock tests.

#include "libs/storage/database.hpp"

#include <baton/lock/store.hpp>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace baton::test {

inline std::string lock_url(storage::location const& where)
{
    if (where.engine == storage::engine::sqlite)
        return "sqlite:" + where.name;
    return "mysql://" + where.user + (where.password.empty() ? "" : ":" + where.password) + "@" + where.host + ":" +
           std::to_string(where.port) + "/" + where.name;
}

// `parameter` is "name=value".
inline std::string with_parameter(std::string const& url, std::string const& parameter)
{
    return url + (url.find('?') == std::string::npos ? '?' : '&') + parameter;
}

// The server that the variable names; nothing if it is not set or if this build of the library does not support it.
inline std::optional<std::string> lock_server(char const* variable)
{
    char const* const given = std::getenv(variable);
    if (given == nullptr || *given == '\0')
        return std::nullopt;
    try {
        lock::store const in(given);
        return given;
    } catch (std::invalid_argument const&) {
        return std::nullopt;
    }
}

} // namespace baton::test
