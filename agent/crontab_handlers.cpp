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
        log::old::warn("{}:{}: {}; the line is left out", file, problem.line, problem.why);

    std::vector<crontab_handler> handlers;
    for (auto& entry : parsed.entries) {
        command what;
        auto const shell = entry.environment.find("SHELL");
        what.argv = {shell == entry.environment.end() ? "/bin/sh" : shell->second, "-c", entry.command};
        what.env = std::move(entry.environment);
        what.user = entry.user;
        what.as_cron = true;
        handlers.push_back({entry.name, std::move(what), std::move(entry.input)});
    }
    return handlers;
}

} // namespace baton::agent
