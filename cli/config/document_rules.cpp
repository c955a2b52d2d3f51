// The rules among the keys of a configuration, and the keys that are derived from others.

#include "cli/config/documents.hpp"
#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/process.hpp"
#include "libs/base/setting.hpp"
#include "libs/http/message.hpp"
#include "libs/protocol/task.hpp"
#include "libs/storage/dialect.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <array>

namespace baton::cli {

namespace {

// A handler to try a first task with.
agent::command make_echo()
{
    agent::command echo;
    echo.argv = {"/bin/cat"};
    echo.about.description = "Returns its payload";
    echo.about.payload_schema = {{"type", "object"},
                                 {"properties", {{"hello", {{"type", "string"}, {"description", "any text"}}}}}};
    return echo;
}

template <class Check>
void checked(reader& from, Check check, std::string const& prefix = {})
{
    try {
        check();
    } catch (invalid_input const& wrong) {
        std::string why = wrong.what();
        if (why.starts_with(wrong.field() + " "))
            why.erase(0, wrong.field().size() + 1);
        from.note(prefix + wrong.field(), why);
    }
}

// All rules of the settings.
template <class Settings>
void check_all(reader& from, Settings const& given, std::string const& prefix = {})
{
    setting_check all;
    given.check(all);
    for (auto const& each : all.problems())
        if (!from.noted(prefix + each.field()))
            checked(
                from, [&] { throw invalid_input(each); }, prefix);
}

void check_log_level(reader& from, std::string const& level)
{
    constexpr std::array levels{"trace", "debug", "info", "warn", "error", "off"};
    if (std::find(levels.begin(), levels.end(), level) == levels.end())
        from.note("log.level", "must be trace, debug, info, warn, error or off");
}

// A process that can reach a listener without a token can run tasks, so only this host may reach it.
void check_listener(reader& from, std::string const& address, std::string const& token)
{
    if (!http::is_address(address))
        from.note("listen.address", "'" + address + "' is not an IP address");
    else if (!http::is_loopback(address) && token.empty() && !from.noted("token"))
        from.note("listen.address", address + " can be reached from other hosts, which needs a shared token: set "
                                              "token_file (or token), or listen on 127.0.0.1");
}

// 0.0.0.0 or ::, "every address of this host": a host can listen there, but no other host can call it.
bool is_unspecified(std::string const& host)
{
    boost::system::error_code no_address;
    auto const address = asio::ip::make_address(host, no_address);
    return !no_address && address.is_unspecified();
}

void check_advertised(reader& from, std::string const& address)
{
    http::url reached;
    checked(
        from, [&] { reached = http::parse_url(address); }, "advertise");
    if (is_unspecified(reached.host))
        from.note("advertise", "no other host can call " + reached.host +
                                   ", which means every address of this host: give the name or the address at which "
                                   "other hosts reach this one");
}

std::string url_of(listen_config const& listen)
{
    bool const v6 = listen.address.find(':') != std::string::npos;
    return "http://" + (v6 ? "[" + listen.address + "]" : listen.address) + ":" + std::to_string(listen.port);
}

} // namespace

void check_database(reader& from, database_config const& database)
{
    if (database.url.empty())
        from.note("database.url", "is required, such as \"sqlite:/var/lib/baton/baton.db\" or "
                                  "\"mysql://baton@db.example:3306/baton\"");
    if (database.sessions < 1 || database.sessions > 64)
        from.note("database.sessions", "must be from 1 to 64");
    try {
        auto const where = storage::parse_location(database.url);
        auto const& dialect = storage::dialect_of(where.engine);
        if (!database.password.empty() && !dialect.shared_clock())
            from.note("database.password", std::string(dialect.title()) + " has no passwords");
        if (!database.password.empty() && !where.password.empty())
            from.note("database.password", "database.url has a password already");
        if (!where.password.empty())
            from.require_private("database.url");
    } catch (invalid_input const& wrong) {
        from.note("database.url", wrong.what());
    }
}

void settle(reader& from, trigger_config& config)
{
    check_log_level(from, config.log_level);
    check_database(from, config.database);
    check_listener(from, config.listen.address, config.node.token);
    if (config.node.name.empty())
        config.node.name = host_name();
    if (config.node.address.empty() && is_unspecified(config.listen.address))
        from.note("advertise", "is required when listening on " + config.listen.address +
                                   ": the address at which other hosts reach this one");
    if (config.node.address.empty() && config.listen.port != 0)
        config.node.address = url_of(config.listen);
    if (!config.node.address.empty()) // otherwise derived once the listener has its port
        check_advertised(from, config.node.address);
    auto probe = config.node;
    if (probe.address.empty())
        probe.address = url_of(config.listen);
    check_all(from, probe);
}

void settle(reader& from, web_config& config)
{
    check_log_level(from, config.log_level);
    check_database(from, config.database);
    check_listener(from, config.listen.address, config.site.token);
    check_all(from, config.site);
}

// `prefix`: of the service's keys.
void check_project(reader& from, client::service_options const& service, std::string const& prefix = {})
{
    if (service.project.empty() || count_characters(service.project) > protocol::longest_project)
        from.note(prefix + "project", "must have 1 to 64 characters");
    checked(
        from, [&] { protocol::check_name(service.project, "project"); }, prefix);
}

void check_address(reader& from, client::service_options const& service)
{
    check_listener(from, service.listen, service.token);
    if (service.advertise.empty() && is_unspecified(service.listen))
        from.note("advertise", "is required when listening on " + service.listen +
                                   ": the address at which the trigger nodes reach this one");
}

void settle(reader& from, agent_config& config)
{
    check_log_level(from, config.log_level);
    auto const& service = config.agent.service;
    if (service.delivery == client::delivery_mode::push)
        check_address(from, service);
    else if (!service.advertise.empty())
        from.note("advertise", "must be absent with delivery \"fetch\", which needs no address");
    if (config.agent.service.name.empty())
        from.note("service", "is required");
    check_project(from, service);
    if (config.agent.service.triggers.empty())
        from.note("triggers", "is required: the addresses of the trigger nodes");
    for (auto const& each : service.triggers)
        checked(
            from, [&] { http::parse_url(each); }, "triggers");
    check_all(from, config.agent);
}

void settle(reader& from, dev_config& config)
{
    check_log_level(from, config.log_level);
    if (config.data.empty())
        from.note("data", "must not be empty");
    if (config.agent.service.name.empty())
        config.agent.service.name = "agent";
    check_project(from, config.agent.service, "agent.");
    if (config.agent.handlers.empty() && config.agent.crontabs.empty())
        config.agent.handlers.emplace("echo", make_echo());
    check_all(from, config.agent, "agent.");
}

} // namespace baton::cli
