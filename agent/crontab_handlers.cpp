#include "agent/crontab_handlers.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/schedule/crontab.hpp"

#include <fstream>
#include <sstream>

namespace baton::agent {

std::vector<crontab_handler> read_crontab(std::string const& file)
{
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (!(text << in.rdbuf()))
        throw invalid_input("crontab", file + " cannot be read");
    auto parsed = schedule::parse_crontab(text.str(), schedule::guess_form(file), file);
    for (auto const& problem : parsed.problems)
        log::warn("agent", "a crontab line cannot be read, skipping it",
                  {log::reason(problem.why), {"file", file}, {"line", problem.line}});

    std::vector<crontab_handler> handlers;
    for (auto& entry : parsed.entries) {
        command program;
        auto const shell = entry.environment.find("SHELL");
        program.argv = {shell == entry.environment.end() ? "/bin/sh" : shell->second, "-c", entry.command};
        program.env = std::move(entry.environment);
        program.user = entry.user;
        program.as_cron = true;
        handlers.push_back({entry.name, std::move(program), std::move(entry.input)});
    }
    return handlers;
}

} // namespace baton::agent
