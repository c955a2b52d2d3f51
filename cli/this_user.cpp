#include "cli/this_user.hpp"

#include <cstdlib>

namespace baton::cli {

std::string this_user()
{
    for (auto const* name : {"USER", "LOGNAME"})
        if (auto const* value = std::getenv(name); value != nullptr && *value != '\0')
            return value;
    return "";
}

} // namespace baton::cli
