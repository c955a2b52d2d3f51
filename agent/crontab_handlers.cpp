#include "agent/crontab_handlers.hpp"

#include "agent/crontab_file.hpp"
#include "libs/base/log.hpp"
#include "libs/schedule/crontab.hpp"

namespace baton::agent {

std::vector<crontab_handler> read_crontab(std::string const& file)
{
    auto const form = schedule::guess_form(file);
    auto const written = read_crontab_file(file, form);
    auto parsed = schedule::parse_crontab(written.text, form, file);
    for (auto const& problem : parsed.problems)
        log::warn("agent", "a crontab line cannot be read, skipping it",
                  {log::reason(problem.why), {"file", file}, {"line", problem.line}});

    std::vector<crontab_handler> handlers;
    for (auto& entry : parsed.entries) {
        command program;
        auto const shell = entry.environment.find("SHELL");
        program.argv = {shell == entry.environment.end() ? "/bin/sh" : shell->second, "-c", entry.command};
        program.env = std::move(entry.environment);
        program.user = form == schedule::crontab_form::system ? entry.user : written.user;
        program.as_cron = true;
        handlers.push_back({entry.name, std::move(program), std::move(entry.input), file, entry.line});
    }
    return handlers;
}

} // namespace baton::agent
