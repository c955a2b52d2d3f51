#include "cli/import_input.hpp"

#include "agent/account.hpp"
#include "cli/config/reader.hpp"
#include "cli/import_plan.hpp"
#include "cli/input_file.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"

namespace baton::cli {

namespace {

bool looks_like_json(std::string const& text)
{
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && (text[first] == '{' || text[first] == '[');
}

// The instant would be another one with each import.
void refuse_span(nlohmann::json const& definition)
{
    auto const schedule = definition.is_object() ? definition.value("schedule", nlohmann::json()) : nlohmann::json();
    if (schedule.is_object() && schedule.contains("in_ms"))
        throw invalid_input("schedule.in_ms",
                            "schedule.in_ms counts from the moment of saving, so a file cannot have it: "
                            "write schedule.at, such as 2026-12-24T18:00:00Z");
}

import_input from_json(std::string const& file, std::string const& text)
{
    nlohmann::json document;
    try {
        document = protocol::parse_document(text, protocol::comments::ignored);
    } catch (invalid_input const& wrong) {
        throw config_error(file + ": " + wrong.what());
    }
    import_input input;
    input.file = file;
    try {
        for (auto& each : definitions_in(std::move(document))) {
            refuse_span(each);
            input.tasks.push_back({std::move(each)});
        }
    } catch (invalid_input const& wrong) {
        throw config_error(file + ": " + wrong.what());
    }
    return input;
}

schedule::crontab_form form_of(std::string const& file, std::string const& form)
{
    if (form == "guess")
        return schedule::guess_form(file);
    return form == "system" ? schedule::crontab_form::system : schedule::crontab_form::user;
}

import_input from_crontab(std::string const& file, schedule::crontab const& parsed, import_settings const& settings)
{
    import_input input;
    input.file = file;
    input.origin = origin_of(file);
    if (schedule::may_have_users(parsed, agent::account_exists))
        input.warning = "the first word of every command is the name of an account, and is run as a program: if these "
                        "are users, put the file into a folder cron.d, for the agent too";
    for (auto const& problem : parsed.problems)
        if (problem.never)
            input.timeless.push_back(problem.line);
        else
            input.problems.push_back("line " + std::to_string(problem.line) + ": " + problem.why);
    for (auto const& entry : parsed.entries) {
        input.tasks.push_back({task_of(entry, input.origin, settings), entry.line, settings.disabled});
    }
    return input;
}

} // namespace

import_input read_import(std::string const& file, std::string const& form, import_settings settings)
{
    auto const text = read_input_file(file);
    if (looks_like_json(text))
        return from_json(file, text);
    if (settings.zone.empty())
        settings.zone = host_zone();
    return from_crontab(file, schedule::parse_crontab(text, form_of(file, form), file), settings);
}

} // namespace baton::cli
