#include "cli/config/documents.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/process.hpp"
#include "libs/http/message.hpp"
#include "libs/protocol/task.hpp"
#include "libs/storage/dialect.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

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
    if (!rule)
        from.refuse("election.epochs", "must be counted or hybrid");
    into = *rule;
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
}

std::map<std::string, agent::command> read_handlers(reader& from, std::string const& path)
{
    std::map<std::string, agent::command> handlers;
    auto const written = from.object(path);
    for (auto const& [name, value] : written.items()) {
        auto const here = path + "." + name;
        if (!value.is_object())
            from.refuse(here, "must be an object");
        // The keys below a name have a reader without environment: no variable overrides them.
        reader part({}, value, [](std::string const&) { return std::nullopt; });
        agent::command run;
        try {
            part.value("argv", run.argv);
            part.value("cwd", run.cwd);
            part.value("user", run.user);
            auto const env = part.object("env");
            for (auto const& [variable, text] : env.items()) {
                if (!text.is_string())
                    part.refuse("env." + variable, "must be a string");
                run.env.emplace(variable, text.get<std::string>());
            }
            part.finish();
        } catch (config_error const& wrong) {
            auto const text = std::string(wrong.what());
            auto const colon = text.find(": ");
            from.refuse(here + "." + text.substr(0, colon), text.substr(colon + 2));
        }
        handlers.emplace(name, std::move(run));
    }
    return handlers;
}

template <class Check>
void checked(reader const& from, Check check, std::string const& prefix = {})
{
    try {
        check();
    } catch (invalid_input const& wrong) {
        std::string why = wrong.what();
        if (why.starts_with(wrong.field() + " "))
            why.erase(0, wrong.field().size() + 1);
        from.refuse(prefix + wrong.field(), why);
    }
}

void check_log_level(reader const& from, std::string const& level)
{
    constexpr std::array levels{"trace", "debug", "info", "warn", "error", "off"};
    if (std::find(levels.begin(), levels.end(), level) == levels.end())
        from.refuse("log.level", "must be trace, debug, info, warn, error or off");
}

// A process that can reach a listener without a token can run tasks, so only this host may reach it.
void check_listener(reader const& from, std::string const& address, std::string const& token)
{
    if (!http::is_address(address))
        from.refuse("listen.address", "'" + address + "' is not an IP address");
    if (!http::is_loopback(address) && token.empty())
        from.refuse("listen.address", address + " can be reached from other hosts, which needs a shared token: set "
                                                "token_file (or token), or listen on 127.0.0.1");
}

// 0.0.0.0 or ::, "every address of this host": a host can listen there, but no other host can call it.
bool is_unspecified(std::string const& host)
{
    boost::system::error_code no_address;
    auto const address = asio::ip::make_address(host, no_address);
    return !no_address && address.is_unspecified();
}

void check_advertised(reader const& from, std::string const& address)
{
    http::url reached;
    checked(
        from, [&] { reached = http::parse_url(address); }, "advertise");
    if (is_unspecified(reached.host))
        from.refuse("advertise", "no other host can call " + reached.host +
                                     ", which means every address of this host: give the name or the address at which "
                                     "other hosts reach this one");
}

std::string url_of(listen_config const& listen)
{
    bool const v6 = listen.address.find(':') != std::string::npos;
    return "http://" + (v6 ? "[" + listen.address + "]" : listen.address) + ":" + std::to_string(listen.port);
}

} // namespace

void check_database(reader const& from, database_config const& database)
{
    if (database.url.empty())
        from.refuse("database.url", "is required, such as \"sqlite:/var/lib/baton/baton.db\" or "
                                    "\"mysql://baton@db.example:3306/baton\"");
    if (database.sessions < 1 || database.sessions > 64)
        from.refuse("database.sessions", "must be from 1 to 64");
    try {
        auto const where = storage::parse_location(database.url);
        auto const& dialect = storage::dialect_of(where.engine);
        if (!database.password.empty() && !dialect.shared_clock())
            from.refuse("database.password", std::string(dialect.title()) + " has no passwords");
        if (!database.password.empty() && !where.password.empty())
            from.refuse("database.password", "database.url has a password already");
        if (!where.password.empty())
            from.require_private("database.url");
    } catch (invalid_input const& wrong) {
        from.refuse("database.url", wrong.what());
    }
}

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
}

void bind(reader& from, client::delivery_mode& into)
{
    std::string name = into == client::delivery_mode::fetch ? "fetch" : "push";
    from.value("delivery", name);
    if (name != "push" && name != "fetch")
        from.refuse("delivery", "must be push or fetch");
    into = name == "fetch" ? client::delivery_mode::fetch : client::delivery_mode::push;
}

void bind(reader& from, agent_config& into)
{
    auto& service = into.agent.service;
    from.value("service", service.name);
    from.value("project", service.project);
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
    from.value("agent.slots", into.agent.service.slots);
    into.agent.handlers = read_handlers(from, "agent.handlers");
    from.value("log.level", into.log_level);
}

void settle(reader const& from, trigger_config& config)
{
    check_log_level(from, config.log_level);
    check_database(from, config.database);
    check_listener(from, config.listen.address, config.node.token);
    if (config.node.name.empty())
        config.node.name = host_name();
    if (config.node.address.empty() && is_unspecified(config.listen.address))
        from.refuse("advertise", "is required when listening on " + config.listen.address +
                                     ": the address at which other hosts reach this one");
    if (config.node.address.empty() && config.listen.port != 0)
        config.node.address = url_of(config.listen);
    if (!config.node.address.empty()) // otherwise derived once the listener has its port
        check_advertised(from, config.node.address);
    auto probe = config.node;
    if (probe.address.empty())
        probe.address = url_of(config.listen);
    checked(from, [&] { probe.validate(); });
}

void settle(reader const& from, web_config& config)
{
    check_log_level(from, config.log_level);
    check_database(from, config.database);
    check_listener(from, config.listen.address, config.site.token);
    checked(from, [&] { config.site.validate(); });
}

// `prefix`: of the service's keys.
void check_project(reader const& from, client::service_options const& service, std::string const& prefix = {})
{
    if (service.project.empty() || count_characters(service.project) > protocol::longest_project)
        from.refuse(prefix + "project", "must have 1 to 64 characters");
    checked(
        from, [&] { protocol::check_name(service.project, "project"); }, prefix);
}

void check_address(reader const& from, client::service_options const& service)
{
    check_listener(from, service.listen, service.token);
    if (service.advertise.empty() && is_unspecified(service.listen))
        from.refuse("advertise", "is required when listening on " + service.listen +
                                     ": the address at which the trigger nodes reach this one");
}

void settle(reader const& from, agent_config& config)
{
    check_log_level(from, config.log_level);
    auto const& service = config.agent.service;
    if (service.delivery == client::delivery_mode::push)
        check_address(from, service);
    else if (!service.advertise.empty())
        from.refuse("advertise", "must be absent with delivery \"fetch\", which needs no address");
    if (config.agent.service.name.empty())
        from.refuse("service", "is required");
    check_project(from, service);
    if (config.agent.service.triggers.empty())
        from.refuse("triggers", "is required: the addresses of the trigger nodes");
    for (auto const& each : service.triggers)
        checked(
            from, [&] { http::parse_url(each); }, "triggers");
    checked(from, [&] { config.agent.validate(); });
}

void settle(reader const& from, dev_config& config)
{
    check_log_level(from, config.log_level);
    if (config.data.empty())
        from.refuse("data", "must not be empty");
    if (config.agent.service.name.empty())
        config.agent.service.name = "agent";
    check_project(from, config.agent.service, "agent.");
    // A handler to try a first task with.
    if (config.agent.handlers.empty() && config.agent.crontabs.empty())
        config.agent.handlers["echo"].argv = {"/bin/cat"};
    checked(
        from, [&] { config.agent.validate(); }, "agent.");
}

} // namespace baton::cli
