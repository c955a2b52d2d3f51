// The names of crontab entries.

#include "libs/schedule/crontab.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>

namespace baton::schedule {

namespace {

constexpr std::size_t longest_part = 32;

// Appends the letters and digits of `text`, with one '-' for each run of other characters, unless that is too long.
void append_slug(std::string& slug, std::string_view text, std::size_t longest)
{
    std::string word;
    for (char const c : text) {
        auto const byte = static_cast<unsigned char>(c);
        bool const kept = byte < 128 && std::isalnum(byte) != 0;
        if (kept)
            word += static_cast<char>(std::tolower(byte));
        else if (!word.empty() && word.back() != '-')
            word += '-';
    }
    if (word.ends_with('-'))
        word.pop_back();
    if (word.empty() || slug.size() + 1 + word.size() > longest)
        return;
    slug += slug.empty() ? word : "-" + word;
}

bool starts_command(std::string_view word)
{
    return word == "&&" || word == "||" || word == "|" || word == ";" || word == "{" || word == "(" || word == "then" ||
           word == "do" || word == "else";
}

bool is_uninformative(std::string_view word)
{
    return word == "cd" || word == "test" || word == "[" || word == "if" || word == "!" || word == "exec";
}

// The programs and the absolute paths of a command line.
std::string command_slug(std::string_view command)
{
    std::string slug;
    bool program = true;
    for (std::size_t begin = 0; begin < command.size();) {
        auto const end = std::min(command.find_first_of(" \t\n", begin), command.size());
        auto const word = command.substr(begin, end - begin);
        begin = end + 1;
        if (word.empty())
            continue;
        bool const assigns = word.find('=') != std::string_view::npos;
        if (starts_command(word) || is_uninformative(word)) {
            program = starts_command(word);
        } else if (!assigns) {
            if (program || word.front() == '/')
                append_slug(slug, word.substr(word.rfind('/') + 1), longest_part);
            program = word.ends_with(';');
        }
    }
    return slug;
}

// FNV-1a. Names must not change between builds or machines, as values of std::hash may.
std::uint32_t hash(std::string_view text, std::uint32_t state)
{
    for (char const c : text)
        state = (state ^ static_cast<unsigned char>(c)) * 16'777'619U;
    return (state ^ 0xFFU) * 16'777'619U; // a separator, so that texts cannot run into each other
}

} // namespace

std::string crontab_name(crontab_entry const& entry, std::string const& source)
{
    std::string slug;
    append_slug(slug, std::filesystem::path{source}.stem().string(), longest_part);
    auto const command = command_slug(entry.command);
    if (!command.empty())
        slug += (slug.empty() ? "" : "-") + command;

    std::uint32_t state = 2'166'136'261U;
    for (auto const& part : {entry.schedule, entry.user, entry.command, entry.input})
        state = hash(part, state);
    char digits[16];
    std::snprintf(digits, sizeof digits, "%08x", state);
    return slug.empty() ? "cron-" + std::string{digits} : slug + "-" + digits;
}

} // namespace baton::schedule
