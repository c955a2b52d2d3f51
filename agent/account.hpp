#pragma once
// The account of the system under which a command runs.

#include <string>
#include <sys/types.h>
#include <vector>

namespace baton::agent {

struct account {
    std::string name;
    uid_t user = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;
    std::string home;
    bool change = false; // differs from this process's
};

// The account of this name; an empty name is this process's own. Throws std::runtime_error if there is none, or if this
// process, not being root, cannot become it. Any thread.
account find_account(std::string const& name);

// True if the system has an account of this name. Any thread.
bool account_exists(std::string const& name);

// The folder in which cron starts a command of this account: its home, or / if the home does not exist. A home that
// cannot be seen counts as one that exists. Any thread.
std::string folder_of(account const& who);

} // namespace baton::agent
