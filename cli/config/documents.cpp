#include "cli/config/documents.hpp"

namespace baton::cli {

namespace {

void bind(reader& from, listen_config& into)
{
    from.value("listen.address", into.address);
    from.value("listen.port", into.port);
    from.value("listen.peer_connections", into.peer_connections);
}

void bind(reader& from, database_config& into)
{
    from.value("database.url", into.url);
    from.secret("database.password", into.password, into.password_file);
    from.value("database.sessions", into.sessions);
}

void bind(reader& from, trigger::epoch_rule& into)
{
    std::string name(to_string(into));
    from.value("election.epochs", name);
    auto const rule = trigger::parse_epoch_rule(name);
    if (rule)
        into = *rule;
    else
        from.note("election.epochs", "must be counted or hybrid");
}

// The settings of the parts of a node.
void bind(reader& from, trigger::settings& into)
{
    from.value("election.namespace", into.election.name_space);
    from.value("election.tick", into.election.tick);
    from.value("election.ttl", into.election.ttl);
    from.value("election.margin", into.election.margin);
    from.value("election.initial_delay", into.election.initial_delay);
    from.value("election.grace", into.election.grace);
    from.value("election.stuck", into.election.stuck);
    bind(from, into.election.epochs);
    from.value("guard.enabled", into.guard.enabled);
    from.value("guard.wait", into.guard.wait);
    from.value("guard.ping", into.guard.ping);
    from.value("guard.margin", into.guard.margin);
    from.value("guard.silence", into.guard.silence);
    from.value("planner.look_ahead", into.planner.look_ahead);
    from.value("planner.poll", into.planner.poll);
    from.value("planner.edit_lead", into.planner.edit_lead);
    from.value("planner.page", into.planner.page);
    from.value("planner.firings_of_a_task", into.planner.firings_of_a_task);
    from.value("planner.open_limit", into.planner.open_limit);
    from.value("planner.overdue_limit", into.planner.overdue_limit);
    from.value("planner.sweep", into.planner.sweep);
    from.value("dispatcher.group", into.dispatcher.group);
    from.value("dispatcher.queue_limit", into.dispatcher.queue_limit);
    from.value("dispatcher.assign_limit", into.dispatcher.assign_limit);
    from.value("dispatcher.dispatch_limit", into.dispatcher.dispatch_limit);
    from.value("dispatcher.doubt_after", into.dispatcher.doubt_after);
    from.value("dispatcher.retry_pause", into.dispatcher.retry_pause);
    from.value("clients.heartbeat", into.clients.heartbeat);
    from.value("clients.missed", into.clients.missed);
    from.value("membership.heartbeat", into.membership.heartbeat);
    from.value("membership.ttl", into.membership.ttl);
    from.value("results.group", into.results.group);
    from.value("results.queue_limit", into.results.queue_limit);
    from.value("results.pause", into.results.pause);
    from.value("retention.keep", into.retention.keep);
    from.value("retention.piece", into.retention.piece);
    from.value("retention.share", into.retention.share);
    from.value("zones.check", into.zones.period);
    from.value("zones.lead", into.zones.lead);
}

agent::command read_command(reader& part)
{
    agent::command run;
    part.value("argv", run.argv);
    part.value("cwd", run.cwd);
    part.value("user", run.user);
    part.value("description", run.about.description);
    run.about.payload_schema = part.object("payload_schema");
    auto const env = part.object("env");
    for (auto const& [variable, text] : env.items()) {
        if (text.is_string())
            run.env.emplace(variable, text.get<std::string>());
        else
            part.note("env." + variable, "must be a string");
    }
    part.finish();
    return run;
}

std::map<std::string, agent::command> read_handlers(reader& from, std::string const& path)
{
    std::map<std::string, agent::command> handlers;
    auto const written = from.object(path);
    for (auto const& [name, value] : written.items()) {
        auto const here = path + "." + name;
        if (!value.is_object()) {
            from.note(here, "must be an object");
            continue;
        }
        // The keys below a name have a reader without environment: no variable overrides them.
        reader part({}, value, [](std::string const&) { return std::nullopt; });
        handlers.emplace(name, read_command(part));
        for (auto const& each : part.problems())
            from.note(here + "." + each.key, each.why);
    }
    return handlers;
}

} // namespace

storage::location database_config::where() const
{
    auto found = storage::parse_location(url);
    if (!password.empty())
        found.password = password;
    found.password_file = password_file;
    return found;
}

void bind(reader& from, trigger_config& into)
{
    from.value("name", into.node.name);
    bind(from, into.listen);
    from.value("advertise", into.node.address);
    from.secret("token", into.node.token);
    bind(from, into.database);
    from.value("drain", into.node.drain);
    from.value("election_trace", into.node.election_trace);
    from.value("log.level", into.log_level);
    bind(from, into.node);
}

void bind(reader& from, web_config& into)
{
    bind(from, into.listen);
    from.secret("token", into.site.token);
    bind(from, into.database);
    from.value("log.level", into.log_level);
    from.value("election.namespace", into.site.name_space);
    from.value("web.edit_lead", into.site.edit_lead);
    from.value("web.notify_limit", into.site.notify_limit);
    from.value("web.master_cache", into.site.master_cache);
    from.value("web.event_streams", into.site.event_streams);
    from.value("zones.check", into.site.zones_check);
}

void bind(reader& from, client::delivery_mode& into)
{
    std::string name = into == client::delivery_mode::fetch ? "fetch" : "push";
    from.value("delivery", name);
    if (name != "push" && name != "fetch")
        from.note("delivery", "must be push or fetch");
    into = name == "fetch" ? client::delivery_mode::fetch : client::delivery_mode::push;
}

void bind(reader& from, agent_config& into)
{
    auto& service = into.agent.service;
    from.value("service", service.name);
    from.value("project", service.project);
    from.value("tags", service.tags);
    from.value("triggers", service.triggers);
    bind(from, service.delivery);
    from.value("listen.address", service.listen);
    from.value("listen.port", service.port);
    from.value("advertise", service.advertise);
    from.secret("token", service.token);
    from.value("slots", service.slots);
    from.value("queue", service.queue);
    from.value("heartbeat", service.heartbeat);
    from.value("grace", service.grace);
    from.value("kill_after", into.agent.kill_after);
    from.value("output_limit", into.agent.output_limit);
    from.value("log.level", into.log_level);
    into.agent.handlers = read_handlers(from, "handlers");
}

void bind(reader& from, dev_config& into)
{
    from.value("data", into.data);
    from.value("trigger.port", into.trigger);
    from.value("web.port", into.web);
    from.value("agent.service", into.agent.service.name);
    from.value("agent.project", into.agent.service.project);
    from.value("agent.tags", into.agent.service.tags);
    from.value("agent.slots", into.agent.service.slots);
    into.agent.handlers = read_handlers(from, "agent.handlers");
    from.value("log.level", into.log_level);
}

} // namespace baton::cli
