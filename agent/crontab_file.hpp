#pragma once
// Checks the owner and the mode of a crontab as cron does, because an agent that runs as root would otherwise run the
// commands of any user who can write the file.

#include "libs/schedule/crontab.hpp"

#include <string>
#include <sys/types.h>

namespace baton::agent {

// A crontab file, as fstat() shows it.
struct crontab_facts {
    std::string path;
    bool regular = true; // neither a folder, a pipe nor a device
    mode_t mode = 0600;  // permissions
    nlink_t links = 1;
    uid_t owner = 0;
    std::string owner_name; // empty: the owner has no account
};

// The account under which the entries of a user's crontab run; empty for a system crontab, whose entries name theirs.
// In a spool folder (a folder "crontabs", or /var/spool/cron) the file's name is the account, elsewhere the file's
// owner is. `self` is the user of this process: if that is not root, it runs its own and root's files as itself. Throws
// invalid_input (field "crontab") with the reason if cron would refuse the file, or if another user owns it and `self`
// is not root.
std::string user_of(crontab_facts const& file, schedule::crontab_form form, uid_t self);

struct crontab_text {
    std::string text;
    std::string user; // see user_of()
};

// Reads a file and checks what it has read. Throws invalid_input (field "crontab") as above, or if the file cannot be
// read. Any thread.
crontab_text read_crontab_file(std::string const& path, schedule::crontab_form form);

} // namespace baton::agent
