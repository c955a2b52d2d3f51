#include "agent/settings.hpp"

#include "libs/base/error.hpp"

namespace baton::agent {

namespace {

void validate_command(std::string const& key, command const& run)
{
    if (run.argv.empty() || run.argv[0].empty())
        throw invalid_input(key + ".argv",
                            "must name a program and its arguments, such as [\"/usr/bin/rsync\", \"-a\"]");
    for (auto const& [name, value] : run.env)
        if (name.empty() || name.find('=') != std::string::npos || (name + value).find('\0') != std::string::npos)
            throw invalid_input(key + ".env", "has a name that is empty or holds '=', or a value that holds NUL");
}

} // namespace

void settings::validate() const
{
    for (auto const& [name, run] : handlers) {
        if (name.empty() || name.size() > 150)
            throw invalid_input("handlers", "has a name that is empty or longer than 150 bytes");
        validate_command("handlers." + name, run);
    }
    if (handlers.empty() && crontabs.empty())
        throw invalid_input("handlers", "must have at least one handler");
    if (service.slots < 0 || service.slots > 1'000)
        throw invalid_input("slots", "must be from 0 (one a core) to 1000");
    if (output_limit < 1'024 || output_limit > (16u << 20))
        throw invalid_input("output_limit", "must be from 1024 to 16777216");
}

} // namespace baton::agent
