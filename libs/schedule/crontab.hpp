#pragma once
// Reading crontab(5), so that a machine's cron jobs can become tasks. It takes text; files are the caller's business.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace baton::schedule {

enum class crontab_form {
    user,   // as `crontab -e` edits it: schedule, command
    system, // /etc/crontab and /etc/cron.d/*: schedule, user, command
};

struct crontab_entry {
    int line = 0;         // in the text, from 1
    std::string name;     // unique within the file, see crontab_name
    std::string schedule; // five fields with single spaces, or a nickname; cron::parse takes it
    std::string user;     // empty in the user form
    std::string command;  // for the shell, up to the first unescaped `%`, with `\%` as `%`
    std::string input;    // for the command's standard input: what follows that `%`, with `%` as a new line
    std::map<std::string, std::string> environment; // the assignments above the entry; cron expands no variables
    std::string zone;                               // CRON_TZ in force; empty means the machine's own time zone
};

struct crontab_problem {
    int line = 0;
    std::string why;
};

struct crontab {
    std::vector<crontab_entry> entries;
    std::vector<crontab_problem>
        problems; // lines that have no entry though they should; the others are read all the same
};

// `source` is the file's path or name and only goes into the names. Never throws on bad text.
crontab parse_crontab(std::string_view text, crontab_form form, std::string const& source);

// The name that an entry's task and handler bear: the file's stem, the programs and absolute paths that the command
// names, and a hash of schedule, user and command, such as "crontab-run-parts-cron-hourly-5d1f03ac". So it stays when
// lines move, and changes when the job does. Of arguments only paths are shown, since others may be secret. In
// crontab_entry::name a repeated one has "-2", "-3", ... behind it. Consists of a-z, 0-9 and '-', at most 80 of them.
std::string crontab_name(crontab_entry const& entry, std::string const& source);

// By the place of the file: /etc/crontab and what lies in a folder cron.d have a user column.
crontab_form guess_form(std::string const& path);

} // namespace baton::schedule
