#include "libs/schedule/describe_words.hpp"

namespace baton::schedule {

std::string join(std::vector<std::string> const& parts)
{
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

bool consecutive(values const& all)
{
    return all.back() - all.front() + 1 == all.size();
}

std::string list(values const& all, naming const& name)
{
    if (all.size() >= 3 && consecutive(all))
        return name(all.front()) + " to " + name(all.back());
    std::vector<std::string> names;
    for (auto const value : all)
        names.push_back(name(value));
    return join(names);
}

std::string every(unsigned count, std::string const& unit)
{
    return count == 1 ? "every " + unit : "every " + std::to_string(count) + " " + unit + "s";
}

} // namespace baton::schedule
