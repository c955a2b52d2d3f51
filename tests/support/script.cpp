#include "tests/support/script.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdlib.h>
#include <sys/wait.h>

namespace baton::test {

std::string shell(std::string const& command)
{
    std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
    if (!output)
        throw std::runtime_error("cannot run " + command);
    std::string text;
    for (int c = std::fgetc(output.get()); c != EOF; c = std::fgetc(output.get()))
        text += static_cast<char>(c);
    if (int const status = pclose(output.release()); status != 0)
        throw script_failed("failed: " + command, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text;
}

std::string script(std::string const& line)
{
    return shell(BATON_SOURCE_DIR "/scripts/" + line);
}

std::string make_folder(std::string const& kind)
{
    auto name = (std::filesystem::temp_directory_path() / ("baton-" + kind + "-XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr)
        throw std::runtime_error("cannot make the folder " + name);
    return name;
}

} // namespace baton::test
