#include "cli/wrong_words.hpp"

#include "cli/config/documents.hpp"
#include "cli/nearest.hpp"

#include <algorithm>
#include <unistd.h>

namespace baton::cli {

namespace {

std::vector<CLI::App const*> parts_of(CLI::App const& command)
{
    return command.get_subcommands([](CLI::App const*) { return true; });
}

void add_commands(CLI::App const& command, std::vector<std::string>& into)
{
    for (auto const* const each : parts_of(command))
        if (!each->get_name().empty())
            into.push_back(each->get_name());
}

void add_options(CLI::App const& command, std::vector<std::string>& into)
{
    for (auto const* const each : command.get_options())
        for (auto const& name : each->get_lnames())
            into.push_back("--" + name);
    for (auto const* const each : parts_of(command))
        if (each->get_name().empty()) // a group of options
            add_options(*each, into);
}

// The program and the commands that were recognised, from the outside in.
std::vector<CLI::App const*> path_of(CLI::App const& program)
{
    std::vector<CLI::App const*> path{&program};
    for (;;) {
        auto const& parsed = path.back()->get_subcommands();
        auto const next =
            std::find_if(parsed.begin(), parsed.end(), [](auto* each) { return !each->get_name().empty(); });
        if (next == parsed.end())
            return path;
        path.push_back(*next);
    }
}

std::string joined(std::vector<std::string> const& words)
{
    std::string text;
    for (auto const& each : words)
        text += (text.empty() ? "" : ", ") + each;
    return text;
}

std::string help_of(std::vector<CLI::App const*> const& path)
{
    std::string text = "baton";
    for (std::size_t i = 1; i < path.size(); ++i)
        text += " " + path[i]->get_name();
    return text + " --help";
}

template <class Config>
void add_variables(std::vector<std::string>& into)
{
    reader from({}, nlohmann::json::object(), [](std::string const&) { return std::nullopt; });
    Config config;
    bind(from, config);
    for (auto const& key : from.known())
        if (key != "$schema" && !key.ends_with("handlers")) // handlers can be given in a file alone
            into.push_back(variable_of(key));
}

std::vector<std::string> known_variables()
{
    std::vector<std::string> known{"BATON_SERVER", "BATON_PAYLOAD",      "BATON_EXECUTION",   "BATON_ATTEMPT",
                                   "BATON_TASK",   "BATON_SCHEDULED_AT", "BATON_SHARD_INDEX", "BATON_SHARD_TOTAL"};
    for (std::string const past : {"BATON_PREVIOUS_", "BATON_LAST_SUCCESS_"})
        for (auto const* part : {"EXECUTION", "SCHEDULED_AT", "ENDED_AT", "STATE"})
            known.push_back(past + part);
    add_variables<trigger_config>(known);
    add_variables<web_config>(known);
    add_variables<agent_config>(known);
    add_variables<dev_config>(known);
    return known;
}

} // namespace

std::string help_of(CLI::App const& program)
{
    return help_of(path_of(program));
}

std::optional<std::string> wrong_word(CLI::App const& program)
{
    auto const path = path_of(program);
    auto const left = program.remaining(true);
    std::vector<std::string> commands;
    add_commands(*path.back(), commands);
    if (left.empty()) {
        if (path.back()->get_require_subcommand_min() == 0)
            return std::nullopt;
        return "a command is missing, one of: " + joined(commands) + " (" + help_of(path) + ")";
    }
    auto const word = left.front().substr(0, left.front().find('='));
    bool const is_option = word.starts_with("-");
    std::vector<std::string> candidates;
    for (auto at = path.rbegin(); at != path.rend(); ++at)
        is_option ? add_options(**at, candidates) : add_commands(**at, candidates);
    auto const kind = is_option ? "unknown option '" : commands.empty() ? "unexpected word '" : "unknown command '";
    auto const text = kind + word + "'";
    if (!is_option && path.back()->get_name() == "explain")
        return text + ": quote the expression, as in '0 9 * * *' (" + help_of(path) + ")";
    if (auto const right = nearest(word, candidates))
        return text + "; did you mean '" + *right + "'? (" + help_of(path) + ")";
    if (!is_option && !commands.empty())
        return text + "; the commands are: " + joined(commands) + " (" + help_of(path) + ")";
    return text + " (" + help_of(path) + ")";
}

void check_variables(std::vector<std::string> const& names)
{
    std::vector<std::string> known;
    std::vector<std::string> wrong;
    for (auto const& name : names) {
        if (!name.starts_with("BATON_"))
            continue;
        if (known.empty())
            known = known_variables();
        if (std::find(known.begin(), known.end(), name) != known.end())
            continue;
        auto const right = nearest(name, known);
        wrong.push_back(name + ": is not a variable that is known" + (right ? "; did you mean " + *right + "?" : ""));
    }
    if (!wrong.empty())
        throw config_error(std::move(wrong));
}

std::vector<std::string> variables_of_process()
{
    std::vector<std::string> names;
    for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
        std::string const text = *each;
        names.push_back(text.substr(0, text.find('=')));
    }
    return names;
}

} // namespace baton::cli
