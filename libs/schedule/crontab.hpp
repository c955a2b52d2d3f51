#pragma once
// Parses crontab(5) text, so that a machine's cron jobs can become tasks. Reads no files.

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
};

struct crontab {
    std::vector<crontab_entry> entries;
    std::vector<crontab_problem> problems; // lines that should be entries but cannot be read; the others are read
};

// `source`, the file's path or name, is a part of the entries' names. Never throws on bad text.
crontab parse_crontab(std::string_view text, crontab_form form, std::string const& source);

// The name of an entry's task and handler: the file's stem, the programs and absolute paths in the command, and a hash
// of schedule, user and command, such as "crontab-run-parts-cron-hourly-5d1f03ac". The name stays when lines move, and
// changes when the job does. It shows no arguments but paths, since others may be secret. Consists of a-z, 0-9 and '-',
// at most 80 characters. In crontab_entry::name, "-2", "-3", ... tell repeated entries apart.
std::string crontab_name(crontab_entry const& entry, std::string const& source);

// Guesses the form from the path: /etc/crontab and files in a folder named cron.d have a user column.
crontab_form guess_form(std::string const& path);

} // namespace baton::schedule
