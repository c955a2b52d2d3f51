#include "agent/settings.hpp"

#include "libs/base/error.hpp"
#include "libs/protocol/handler_schemas.hpp"
#include "libs/protocol/offers.hpp"

namespace baton::agent {

namespace {

bool is_tag(std::string const& text)
{
    try {
        protocol::check_tag(text, "tags");
        return true;
    } catch (invalid_input const&) {
        return false;
    }
}

// Why the description and the schema cannot be announced; empty if they can.
std::string problem_of(std::string const& name, client::handler_info const& about)
{
    if (about.description.empty() && about.payload_schema.is_null())
        return {};
    try {
        protocol::checked_schema(name, about.description, about.payload_schema);
        return {};
    } catch (invalid_input const& wrong) {
        return wrong.what();
    }
}

void check_command(std::string const& key, command const& run, setting_check& all)
{
    all.require(!run.argv.empty() && !run.argv[0].empty(), key + ".argv",
                "must name a program and its arguments, such as [\"/usr/bin/rsync\", \"-a\"]");
    for (auto const& [name, value] : run.env)
        all.require(!name.empty() && name.find('=') == std::string::npos &&
                        (name + value).find('\0') == std::string::npos,
                    key + ".env", "has a name that is empty or holds '=', or a value that holds NUL");
}

} // namespace

void settings::check(setting_check& all) const
{
    for (auto const& [name, run] : handlers) {
        all.require(!name.empty() && name.size() <= 150 && name.find('/') == std::string::npos, "handlers",
                    "has a name that is empty, longer than 150 bytes or with a slash");
        check_command("handlers." + name, run, all);
        auto const problem = problem_of(name, run.about);
        all.require(problem.empty(), "handlers." + name, "cannot be announced: " + problem);
    }
    all.require(!handlers.empty() || !crontabs.empty(), "handlers", "must have at least one handler");
    for (auto const& tag : service.tags)
        all.require(is_tag(tag), "tags",
                    "must have names of 1 to 63 letters, digits, '.', '_', ':' and '-', such as gpu");
    all.require(service.tags.size() <= protocol::most_tags, "tags", "must have at most 32 names");
    all.require(service.slots >= 0 && service.slots <= 1'000, "slots", "must be from 0 (one a core) to 1000");
    all.require(output_limit >= 1'024 && output_limit <= (16u << 20), "output_limit", "must be from 1024 to 16777216");
}

} // namespace baton::agent
