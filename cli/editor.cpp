#include "cli/editor.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace baton::cli {

namespace {

// Empty if no variable names one.
std::string named_editor()
{
    for (auto const* name : {"VISUAL", "EDITOR"})
        if (char const* const value = std::getenv(name); value != nullptr && *value != '\0')
            return value;
    return "";
}

} // namespace

bool can_edit()
{
    return !named_editor().empty() || (isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0);
}

edited_file::edited_file(std::string const& text)
{
    auto name = (std::filesystem::temp_directory_path() / "baton-edit-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) // 0700
        throw std::runtime_error(name + " cannot be made: " + std::generic_category().message(errno));
    folder_ = name;
    path_ = folder_ + "/task.json";
    if (!(std::ofstream(path_) << text).flush())
        throw std::runtime_error(path_ + " cannot be written");
}

edited_file::~edited_file()
{
    std::error_code none;
    if (!kept_)
        std::filesystem::remove_all(folder_, none);
}

std::string edited_file::edit() const
{
    auto const named = named_editor();
    auto const command = named.empty() ? "vi" : named;
    auto const child = fork();
    if (child == 0) {
        // The variable may have options, so a shell splits it; the path is an argument of its own.
        execl("/bin/sh", "sh", "-c", (command + " \"$1\"").c_str(), "sh", path_.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("the editor '" + command + "' failed; EDITOR names another");
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
}

} // namespace baton::cli
