#pragma once
// Parses crontab(5) text, so that a machine's cron jobs can become tasks. Reads no files.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::schedule {

enum class crontab_form {
    user,   // as for `crontab -e`: schedule, command
    system, // /etc/crontab and /etc/cron.d/*: schedule, user, command
};

struct crontab_entry {
    int line = 0;         // in the text, from 1
    std::string name;     // unique within the file, see crontab_name
    std::string schedule; // five fields with single spaces, or a nickname; cron::parse takes it
    std::string user;     // empty in the user form
    std::string command;  // for the shell, up to the first unescaped `%`, with `\%` as `%`
    std::string input;    // for the command's standard input: the text after that `%`, with `%` as a new line
    std::map<std::string, std::string> environment; // the assignments above the entry; cron expands no variables
    std::string zone;                               // CRON_TZ at the entry; empty: the machine's own time zone
};

struct crontab_problem {
    int line = 0;
    std::string why;
    bool never = false; // @reboot, which has no times
};

struct crontab {
    std::vector<crontab_entry> entries;
    std::vector<crontab_problem> problems; // lines that should be entries but cannot be read; the others are read
};

// `source`, the file's path or name, is a part of the entries' names. Never throws on bad text.
crontab parse_crontab(std::string_view text, crontab_form form, std::string const& source);

// The name of an entry's task and handler: the file's stem and a hash of user, command and input, such as
// "crontab-5d1f03ac". It stays when lines move and when the schedule changes, and changes with the command. It shows no
// part of the command, since names are sent to the server and a command may hold secrets. Consists of a-z, 0-9 and '-',
// at most 41 characters. In crontab_entry::name, "-2", "-3", ... tell repeated entries apart.
std::string crontab_name(crontab_entry const& entry, std::string const& source);

// True if the first word of every command is an account's name: then a system crontab was probably parsed in the user
// form. False for the system form and for no entries.
bool may_have_users(crontab const& parsed, std::function<bool(std::string const&)> const& is_account);

// Guesses the form from the path: /etc/crontab and files in a folder named cron.d have a user column.
crontab_form guess_form(std::string const& path);

} // namespace baton::schedule
