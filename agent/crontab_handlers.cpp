#include "agent/crontab_handlers.hpp"

#include "agent/account.hpp"
#include "agent/crontab_file.hpp"
#include "libs/base/log.hpp"
#include "libs/schedule/crontab.hpp"

#include <set>
#include <stdexcept>

namespace baton::agent {

namespace {

// When the agent starts, as a log line for each run would repeat it.
void name_missing_home(std::string const& user, std::string const& file)
{
    try {
        auto const found = find_account(user);
        if (folder_of(found) != found.home)
            log::warn("agent", "the home folder of a crontab's user does not exist, its commands start in /",
                      {{"user", found.name}, {"home", found.home}, {"file", file}});
    } catch (std::runtime_error const&) { // each run fails with the reason
    }
}

} // namespace

std::vector<crontab_handler> read_crontab(std::string const& file)
{
    auto const form = schedule::guess_form(file);
    auto const written = read_crontab_file(file, form);
    auto parsed = schedule::parse_crontab(written.text, form, file);
    for (auto const& problem : parsed.problems)
        log::warn("agent", "a crontab line cannot be read, skipping it",
                  {log::reason(problem.why), {"file", file}, {"line", problem.line}});

    if (schedule::may_have_users(parsed, account_exists))
        log::warn("agent",
                  "the first word of every command is the name of an account, running it as a program; if these are "
                  "users, put the file into a folder cron.d",
                  {{"file", file}});

    std::vector<crontab_handler> handlers;
    std::set<std::string> users;
    for (auto& entry : parsed.entries) {
        command program;
        auto const shell = entry.environment.find("SHELL");
        program.argv = {shell == entry.environment.end() ? "/bin/sh" : shell->second, "-c", entry.command};
        program.env = std::move(entry.environment);
        program.user = form == schedule::crontab_form::system ? entry.user : written.user;
        program.as_cron = true;
        if (!program.env.contains("HOME") && users.insert(program.user).second)
            name_missing_home(program.user, file);
        handlers.push_back({entry.name, std::move(program), std::move(entry.input), file, entry.line});
    }
    return handlers;
}

} // namespace baton::agent
