#include "agent/check.hpp"

#include "agent/account.hpp"
#include "agent/crontab_handlers.hpp"

#include <filesystem>
#include <set>
#include <stdexcept>

namespace baton::agent {

namespace {

namespace fs = std::filesystem;

// The place of a command in the configuration or a crontab, and of its parts.
struct place {
    std::string user;
    std::string folder;
    std::string program;
};

std::string quoted(std::string const& text)
{
    return "'" + text + "'";
}

// Empty if it exists, or if this process may not see it: its user may.
std::string why_no_folder(std::string const& path)
{
    std::error_code unseen;
    auto const found = fs::status(path, unseen);
    if (found.type() == fs::file_type::not_found)
        return quoted(path) + " does not exist: make the folder, or name another";
    if (fs::status_known(found) && !fs::is_directory(found))
        return quoted(path) + " is not a folder: name a folder";
    return "";
}

std::string why_no_program(std::string const& path)
{
    constexpr auto anybody = fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec;
    std::error_code unseen;
    auto const found = fs::status(path, unseen);
    if (found.type() == fs::file_type::not_found)
        return quoted(path) + " does not exist: install the program, or correct the path";
    if (fs::is_directory(found))
        return quoted(path) + " is a folder: name a program";
    if (fs::status_known(found) && (found.permissions() & anybody) == fs::perms::none)
        return quoted(path) + " is not executable: `chmod +x` makes it so, or name its interpreter before it";
    return "";
}

std::string why_no_user(std::string const& name, bool runs)
{
    if (name.empty())
        return "";
    if (!account_exists(name))
        return "user " + quoted(name) + " does not exist: make the account, or name another";
    try {
        if (runs)
            find_account(name);
        return "";
    } catch (std::runtime_error const& failure) {
        return std::string(failure.what()) + ": start the agent as root, or as this user without naming it";
    }
}

// `runs` is false if the command is only logged.
void check_command(command const& what, place const& at, bool runs, std::vector<std::string>& problems)
{
    auto const add = [&](std::string const& where, std::string const& why) {
        if (!why.empty())
            problems.push_back(where + ": " + why);
    };
    add(at.user, why_no_user(what.user, runs));
    if (!what.cwd.empty())
        add(at.folder, why_no_folder(what.cwd));
    else if (what.as_cron && what.env.contains("HOME"))
        add(at.folder, why_no_folder(what.env.at("HOME")));
    if (!what.argv.empty() && what.argv[0].starts_with('/'))
        add(at.program, why_no_program(what.argv[0]));
}

} // namespace

check_result check(settings const& chosen)
{
    check_result result;
    std::set<std::string> names;
    for (auto const& [name, what] : chosen.handlers) {
        names.insert(name);
        auto const key = "handlers." + name;
        check_command(what, {key + ".user", key + ".cwd", key + ".argv"}, true, result.problems);
    }
    for (auto const& file : chosen.crontabs)
        for (auto const& line : read_crontab(file)) {
            auto const where = file + ": line " + std::to_string(line.line) + " (" + line.name + ")";
            if (!names.insert(line.name).second)
                result.problems.push_back(where + ": a handler of this name is offered already: name each file once, "
                                                  "and the handlers otherwise");
            check_command(line.program, {where, where + ": HOME", where + ": SHELL"}, chosen.execute, result.problems);
        }
    result.handlers = names.size();
    return result;
}

} // namespace baton::agent
