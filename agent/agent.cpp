#include "agent/agent.hpp"

#include "agent/command.hpp"
#include "agent/crontab_handlers.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::agent {

namespace {

constexpr std::size_t value_limit = 60u << 10; // of JSON; the SDK sends no more than 64 KiB
constexpr duration last_results = 2'500ms;     // of the grace, in which results are recorded and the client leaves

std::string as_json(nlohmann::json const& value)
{
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Bytes that are not UTF-8 become U+FFFD.
nlohmann::json printable(std::string const& text)
{
    return nlohmann::json::parse(as_json(text));
}

// Adds nothing if there is no such execution.
void add_past(std::map<std::string, std::string>& variables, std::string const& prefix,
              std::optional<client::past_execution> const& past)
{
    if (!past)
        return;
    variables[prefix + "EXECUTION"] = std::to_string(past->id);
    variables[prefix + "SCHEDULED_AT"] = to_rfc3339(past->scheduled_at);
    if (past->ended_at)
        variables[prefix + "ENDED_AT"] = to_rfc3339(*past->ended_at);
    variables[prefix + "STATE"] = past->state;
}

std::map<std::string, std::string> variables_of(client::execution const& run)
{
    std::map<std::string, std::string> variables{{"BATON_PAYLOAD", as_json(run.payload())},
                                                 {"BATON_EXECUTION", std::to_string(run.id())},
                                                 {"BATON_ATTEMPT", std::to_string(run.attempt())},
                                                 {"BATON_TASK", run.task()},
                                                 {"BATON_SCHEDULED_AT", to_rfc3339(run.scheduled_at())},
                                                 {"BATON_SHARD_INDEX", std::to_string(run.shard_index())},
                                                 {"BATON_SHARD_TOTAL", std::to_string(run.shard_total())}};
    add_past(variables, "BATON_PREVIOUS_", run.previous());
    add_past(variables, "BATON_LAST_SUCCESS_", run.last_success());
    return variables;
}

// Escapes can make JSON several times as long as the text in it, so the text is shortened until it fits.
nlohmann::json value_of(outcome const& ended, std::size_t limit)
{
    for (;; limit /= 2) {
        nlohmann::json value{{"stdout", printable(ended.out.text(limit))},
                             {"stderr", printable(ended.err.text(limit))}};
        if (ended.exit)
            value["exit"] = *ended.exit;
        if (ended.signal)
            value["signal"] = *ended.signal;
        if (limit == 0 || as_json(value).size() <= value_limit)
            return value;
    }
}

// The reason never has the command's output, which may be confidential.
void tell_end(client::execution const& execution, outcome const& ended)
{
    if (ended.succeeded() || ended.stopped) {
        log::debug("agent", ended.stopped ? "a command was stopped" : "a command succeeded",
                   {{"handler", execution.handler()}, {"execution", execution.id()}});
        return;
    }
    log::warn("agent", "a command failed, its attempt is reported as failed",
              {log::reason(ended.reason()),
               {"handler", execution.handler()},
               {"task", execution.task()},
               {"execution", execution.id()},
               {"attempt", execution.attempt()}});
}

// By which a task's `retry.final_errors` names the end of a command: "exit_64", "signal_9".
std::string class_of(outcome const& ended)
{
    return ended.signal ? "signal_" + std::to_string(*ended.signal) : "exit_" + std::to_string(ended.exit.value_or(-1));
}

client::result run(call request, client::execution& execution, time_source const& time)
{
    auto variables = variables_of(execution);
    for (auto& [name, value] : variables)
        if (value.find('\0') == std::string::npos)
            request.env[name] = std::move(value);
    log::debug("agent", "a command starts", {{"handler", execution.handler()}, {"execution", execution.id()}});
    auto const ended = run_command(request, execution.stop_token(), time);
    tell_end(execution, ended);
    if (!ended.failure.empty())
        return client::result::fail(ended.reason());
    auto value = value_of(ended, request.output_limit);
    if (ended.succeeded())
        return client::result::ok(std::move(value));
    return client::result::fail(ended.reason(), std::move(value)).in_class(class_of(ended));
}

// Without --execute: logs the command, so that people can check it before they let it run. The result does not have
// the command, because the server must not learn it.
client::result tell(crontab_handler const& line)
{
    log::info("agent", "not run without --execute",
              {{"handler", line.name},
               {"file", line.file},
               {"line", line.line},
               {"user", line.program.user},
               {"command", line.program.argv[2]}});
    return client::result::ok({{"dry_run", true}, {"line", line.line}});
}

client::service::handler handler_of(call prototype, time_source const& time)
{
    return [prototype = std::move(prototype), &time](client::execution& execution) {
        auto mine = prototype;
        mine.input = as_json(execution.payload());
        return run(std::move(mine), execution, time);
    };
}

client::service::handler handler_of(crontab_handler line, settings const& chosen, time_source const& time)
{
    if (!chosen.execute)
        return [line = std::move(line)](client::execution&) { return tell(line); };
    call prototype{line.program, {}, line.input, chosen.kill_after, chosen.output_limit};
    return [prototype = std::move(prototype), &time](client::execution& execution) {
        return run(prototype, execution, time);
    };
}

} // namespace

std::map<std::string, client::service::handler> make_handlers(settings const& chosen, time_source const& time)
{
    std::map<std::string, client::service::handler> handlers;
    for (auto const& [name, what] : chosen.handlers)
        handlers.emplace(name, handler_of(call{what, {}, {}, chosen.kill_after, chosen.output_limit}, time));
    for (auto const& file : chosen.crontabs)
        for (auto& line : read_crontab(file)) {
            auto const name = line.name;
            if (!handlers.emplace(name, handler_of(std::move(line), chosen, time)).second)
                throw invalid_input("crontab", file + ": the handler '" + name + "' is offered already");
        }
    return handlers;
}

client::service_options options_of(settings const& chosen)
{
    auto options = chosen.service;
    auto const needed = std::chrono::ceil<std::chrono::milliseconds>(chosen.kill_after + last_results);
    auto const most = options.grace * 3 / 4;
    if (most < needed)
        log::warn("agent",
                  "kill_after does not fit into three quarters of the grace: when the agent stops, a command that "
                  "ignores SIGTERM is killed without a result; raise grace, or lower kill_after",
                  {{"grace_ms", options.grace / 1ms}, {"needed_ms", needed * 4 / 3 / 1ms}});
    options.stop_ahead = std::min(needed, most);
    return options;
}

void install(client::service& service, settings const& chosen, time_source const& time)
{
    for (auto& [name, handle] : make_handlers(chosen, time)) {
        auto const command = chosen.handlers.find(name);
        service.handle(name, handle, command == chosen.handlers.end() ? client::handler_info{} : command->second.about);
    }
}

} // namespace baton::agent
