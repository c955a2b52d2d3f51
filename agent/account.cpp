#include "agent/account.hpp"

#include <filesystem>
#include <grp.h>
#include <pwd.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace baton::agent {

account find_account(std::string const& name)
{
    std::vector<char> buffer(16'384);
    passwd entry{};
    passwd* found = nullptr;
    int const error = name.empty() ? getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found)
                                   : getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    account result;
    result.user = geteuid();
    result.group = getegid();
    if (found == nullptr) {
        if (!name.empty())
            throw std::runtime_error("user '" + name + "' does not exist" +
                                     (error == 0 ? "" : ": " + std::generic_category().message(error)));
        return result; // a process may run under a number that has no name
    }
    result.name = entry.pw_name;
    result.home = entry.pw_dir;
    if (name.empty() || entry.pw_uid == geteuid())
        return result;
    if (geteuid() != 0)
        throw std::runtime_error("running as user '" + name + "' needs an agent that runs as root");
    result.user = entry.pw_uid;
    result.group = entry.pw_gid;
    result.change = true;
    int count = 64;
    result.groups.resize(static_cast<std::size_t>(count));
    while (getgrouplist(entry.pw_name, entry.pw_gid, result.groups.data(), &count) < 0)
        result.groups.resize(static_cast<std::size_t>(count));
    result.groups.resize(static_cast<std::size_t>(count));
    return result;
}

bool account_exists(std::string const& name)
{
    std::vector<char> buffer(16'384);
    passwd entry{};
    passwd* found = nullptr;
    getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    return found != nullptr;
}

std::string folder_of(account const& who)
{
    std::error_code unseen;
    bool const missing = !std::filesystem::exists(who.home, unseen) && !unseen;
    return missing ? "/" : who.home;
}

} // namespace baton::agent
