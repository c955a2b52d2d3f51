#include "cli/config/environment.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace baton::cli {

environment process_environment()
{
    return [](std::string const& name) -> std::optional<std::string> {
        char const* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

environment noting(environment outside, std::vector<std::string>& taken)
{
    return [outside = std::move(outside), &taken](std::string const& name) {
        auto value = outside(name);
        if (value && std::find(taken.begin(), taken.end(), name) == taken.end())
            taken.push_back(name);
        return value;
    };
}

std::string taken_text(std::vector<std::string> const& taken)
{
    std::string text;
    for (auto const& name : taken)
        text += (text.empty() ? "taken from the environment: " : ", ") + name;
    return text;
}

std::string variable_of(std::string const& path)
{
    std::string name = "BATON_";
    for (char const c : path)
        name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return name;
}

} // namespace baton::cli
