#include "libs/schedule/crontab.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/schedule/cron.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

namespace baton::schedule {

namespace {

constexpr std::string_view blanks = " \t";

std::string_view trim(std::string_view text)
{
    auto const begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// Removes the first word from `text`, with the blanks around it.
std::string_view take_word(std::string_view& text)
{
    text = trim(text);
    auto const word = text.substr(0, text.find_first_of(blanks));
    text = trim(text.substr(word.size()));
    return word;
}

// A name or a value of an assignment without its single or double quotes. Empty if a quote is not closed or text
// follows the closing quote.
std::optional<std::string> unquote(std::string_view text)
{
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
        return std::string{text};
    if (text.size() < 2 || text.find(text.front(), 1) != text.size() - 1)
        return std::nullopt;
    return std::string{text.substr(1, text.size() - 2)};
}

using assignment = std::pair<std::string, std::string>;

// The end of an assignment's name. A quoted name may contain blanks and '='.
std::size_t end_of_name(std::string_view line)
{
    if (line.front() == '\'' || line.front() == '"') {
        auto const closing = line.find(line.front(), 1);
        return closing == std::string_view::npos ? closing : closing + 1;
    }
    return line.find_first_of(" \t=");
}

// The line as NAME=value. Like cron, takes a line for an assignment if '=' follows its first word.
std::optional<assignment> as_assignment(std::string_view line)
{
    auto const end = end_of_name(line);
    if (end == std::string_view::npos || end == 0)
        return std::nullopt;
    auto const rest = trim(line.substr(end));
    if (rest.empty() || rest.front() != '=')
        return std::nullopt;
    auto name = unquote(line.substr(0, end));
    auto value = unquote(trim(rest.substr(1)));
    if (!name || name->empty() || !value)
        return std::nullopt;
    return assignment{std::move(*name), std::move(*value)};
}

struct split_command {
    std::string command;
    std::string input;
};

// `%` ends the command, and is a new line in the input. `\%` is a plain `%`; other backslashes stay. Input always ends
// with a new line.
split_command split_at_percent(std::string_view text)
{
    split_command result;
    auto* part = &result.command;
    bool escaped = false;
    for (char const c : text) {
        if (c == '%' && escaped)
            part->back() = '%';
        else if (c != '%')
            *part += c;
        else if (part == &result.input)
            *part += '\n';
        else
            part = &result.input;
        escaped = c == '\\' && !escaped;
    }
    if (!result.input.empty() && result.input.back() != '\n')
        result.input += '\n';
    return result;
}

class reader {
public:
    reader(crontab_form form, std::string const& source) : form_(form), source_(source) {}

    void read_line(std::string_view line)
    {
        ++line_;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        line = line.substr(std::min(line.find_first_not_of(blanks), line.size()));
        if (line.empty() || line.front() == '#')
            return;
        if (auto found = as_assignment(line)) {
            environment_.insert_or_assign(std::move(found->first), std::move(found->second));
            return;
        }
        try {
            add(read_entry(line));
        } catch (invalid_input const& wrong) {
            result_.problems.push_back({line_, wrong.what(), line.starts_with("@reboot")});
        }
    }

    crontab take() { return std::move(result_); }

private:
    crontab_entry read_entry(std::string_view rest) const
    {
        crontab_entry entry;
        entry.line = line_;
        entry.schedule = read_schedule(rest);
        cron::parse(entry.schedule);
        if (form_ == crontab_form::system) {
            entry.user = take_word(rest);
            if (entry.user.empty())
                throw invalid_input("user", "it has no user and no command");
        }
        if (rest.empty())
            throw invalid_input("command", "it has no command");
        auto parts = split_at_percent(rest);
        entry.command = std::move(parts.command);
        entry.input = std::move(parts.input);
        entry.environment = environment_;
        if (auto const zone = environment_.find("CRON_TZ"); zone != environment_.end() && !zone->second.empty()) {
            if (!zone_exists(zone->second))
                throw invalid_input("zone", "CRON_TZ " + in_quotes(zone->second) + " is not a time zone");
            entry.zone = zone->second;
        }
        return entry;
    }

    static std::string read_schedule(std::string_view& rest)
    {
        std::string schedule{take_word(rest)};
        if (schedule.starts_with('@'))
            return schedule;
        for (int field = 1; field < 5; ++field) {
            auto const word = take_word(rest);
            if (word.empty())
                throw invalid_input("schedule.cron", "it is neither five fields and a command nor NAME=value");
            schedule.append(" ").append(word);
        }
        return schedule;
    }

    void add(crontab_entry entry)
    {
        auto const name = crontab_name(entry, source_);
        entry.name = name;
        for (int copy = 2; !names_.insert(entry.name).second; ++copy)
            entry.name = name + "-" + std::to_string(copy);
        result_.entries.push_back(std::move(entry));
    }

    crontab_form form_;
    std::string const& source_;
    crontab result_;
    std::map<std::string, std::string> environment_;
    std::set<std::string> names_;
    int line_ = 0;
};

} // namespace

crontab parse_crontab(std::string_view text, crontab_form form, std::string const& source)
{
    reader lines(form, source);
    for (std::size_t begin = 0; begin < text.size();) {
        auto const end = std::min(text.find('\n', begin), text.size());
        lines.read_line(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines.take();
}

bool may_have_users(crontab const& parsed, std::function<bool(std::string const&)> const& is_account)
{
    return !parsed.entries.empty() && std::ranges::all_of(parsed.entries, [&](crontab_entry const& entry) {
        std::string_view rest = entry.command;
        auto const first = take_word(rest);
        return entry.user.empty() && !rest.empty() && is_account(std::string{first});
    });
}

crontab_form guess_form(std::string const& path)
{
    std::filesystem::path const file{path};
    auto const folder = file.parent_path().filename();
    bool const system = folder == "cron.d" || (folder == "etc" && file.filename() == "crontab");
    return system ? crontab_form::system : crontab_form::user;
}

} // namespace baton::schedule
