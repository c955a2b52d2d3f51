#include "cli/terminal.hpp"

#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace baton::cli {

namespace {

std::string variable(char const* name)
{
    char const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::size_t> width_of_output()
{
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    auto const columns = std::strtoul(variable("COLUMNS").c_str(), nullptr, 10);
    return columns > 0 ? std::optional<std::size_t>(columns) : std::nullopt;
}

} // namespace

terminal terminal_of(std::ostream const& out)
{
    if (&out != &std::cout || isatty(STDOUT_FILENO) == 0)
        return {};
    return {width_of_output(), variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

} // namespace baton::cli
