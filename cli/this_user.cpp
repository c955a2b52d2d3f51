#include "cli/this_user.hpp"

#include <array>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace baton::cli {

std::string this_user()
{
    for (auto const* name : {"USER", "LOGNAME"})
        if (auto const* value = std::getenv(name); value != nullptr && *value != '\0')
            return value;
    passwd found{}; // of a process without a shell, such as one of systemd
    std::array<char, 4096> room{};
    passwd* entry = nullptr;
    if (::getpwuid_r(::getuid(), &found, room.data(), room.size(), &entry) == 0 && entry != nullptr)
        return entry->pw_name;
    return "";
}

} // namespace baton::cli
