#include "client-sdk/src/settings.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/base/id.hpp"
#include "libs/base/private_file.hpp"
#include "libs/base/process.hpp"
#include "libs/base/random.hpp"
#include "libs/protocol/offers.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace baton::client {

namespace {

void need(bool holds, std::string const& option, std::string const& why)
{
    if (!holds)
        throw std::invalid_argument(option + ": " + why);
}

void check_url(std::string const& option, std::string const& text)
{
    try {
        http::parse_url(text);
    } catch (invalid_input const& failure) {
        throw std::invalid_argument(option + ": " + failure.what());
    }
}

std::string token_of(service_options const& options)
{
    if (options.token_file.empty())
        return options.token;
    need(options.token.empty(), "token_file", "give either a token or a file that holds it");
    std::string token;
    try {
        token = read_private_file(options.token_file);
    } catch (unavailable const& failure) {
        need(false, "token_file", failure.what());
    } catch (not_private const& failure) {
        need(false, "token_file", failure.what());
    }
    token.erase(std::min(token.find('\n'), token.size()));
    while (!token.empty() && (token.back() == '\r' || token.back() == ' '))
        token.pop_back();
    need(!token.empty(), "token_file", "cannot read a token from '" + options.token_file + "'");
    return token;
}

bool is_any(std::string const& address)
{
    return address == "0.0.0.0" || address == "::" || address == "[::]";
}

void check_name(std::string const& option, std::string const& text, std::size_t longest)
{
    need(!text.empty() && count_characters(text) <= longest, option,
         "must have 1 to " + std::to_string(longest) + " characters");
    try {
        protocol::check_name(text, option.c_str());
    } catch (invalid_input const& failure) {
        throw std::invalid_argument(failure.what());
    }
}

void check_tags(std::vector<std::string> const& tags)
{
    need(tags.size() <= protocol::most_tags, "tags", "must be at most " + std::to_string(protocol::most_tags));
    try {
        for (auto const& tag : tags)
            protocol::check_tag(tag, "tags");
    } catch (invalid_input const& failure) {
        throw std::invalid_argument(failure.what());
    }
}

void check_addresses(service_options const& options)
{
    if (options.delivery == delivery_mode::fetch) {
        need(options.advertise.empty(), "advertise", "a service that fetches its executions has no address");
        return;
    }
    need(!options.listen.empty(), "listen", "an IP address is required");
    need(http::is_loopback(options.listen) || !options.token.empty(), "token",
         "listening on " + options.listen + ", which others can reach, requires the cluster's shared token");
    need(!is_any(options.listen) || !options.advertise.empty(), "advertise",
         "listening on " + options.listen + " requires the address at which nodes reach this process");
    if (options.advertise.empty())
        return;
    auto const reached = advertised(options, 1);
    check_url("advertise", reached);
    need(!is_any(http::parse_url(reached).host), "advertise",
         "no node can call " + options.advertise + ": give the name or the address at which nodes reach this process");
}

} // namespace

service_options checked(service_options options, random_source& random)
{
    check_name("name", options.name, 100);
    check_name("project", options.project, protocol::longest_project);
    check_tags(options.tags);
    need(!options.triggers.empty(), "triggers", "at least one trigger node is required");
    for (auto const& trigger : options.triggers)
        check_url("triggers", trigger);
    options.token = token_of(options);
    for (unsigned char const c : options.token)
        need(c > 0x20 && c < 0x7f, "token", "must be printable ASCII without spaces");
    check_addresses(options);
    if (options.slots == 0)
        options.slots = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    need(options.slots >= 1 && options.slots <= 4'096, "slots", "must be from 1 to 4096, or 0 for one a core");
    need(options.queue >= 0 && options.queue <= 1'000'000, "queue", "must be from 0 to 1000000");
    need(options.results >= 1 && options.results <= 10'000'000, "results", "must be from 1 to 10000000");
    need(options.heartbeat >= 50ms && options.heartbeat <= 1h, "heartbeat", "must be from 50 ms to an hour");
    need(options.grace >= 0ms && options.grace <= 24h, "grace", "must be from 0 to a day");
    need(options.stop_ahead >= 0ms && options.stop_ahead <= options.grace, "stop_ahead", "must be from 0 to the grace");
    if (options.instance.empty())
        options.instance = make_incarnation(host_name(), process_id(), boot_id(), random);
    need(options.instance.size() <= 128, "instance", "must have at most 128 bytes");
    return options;
}

std::string advertised(service_options const& options, std::uint16_t port)
{
    auto text = options.advertise.empty() ? options.listen : options.advertise;
    if (text.find("://") != std::string::npos)
        return text;
    if (text.find(':') != std::string::npos && text.front() != '[')
        text = "[" + text + "]";
    return "http://" + text + ":" + std::to_string(port);
}

runtime_settings settings_of(service_options const& options, std::set<std::string> handlers, std::uint16_t port)
{
    runtime_settings settings;
    settings.limits.slots = options.slots;
    settings.limits.queue = options.queue;
    settings.limits.results = static_cast<std::size_t>(options.results);
    for (auto const& trigger : options.triggers)
        settings.link.nodes.push_back(http::parse_url(trigger));
    settings.link.token = options.token;
    settings.link.heartbeat = options.heartbeat;
    auto& identity = settings.link.identity;
    identity.project = options.project;
    identity.service = options.name;
    identity.tags = options.tags;
    identity.instance = options.instance;
    if (options.delivery == delivery_mode::fetch)
        identity.delivery = protocol::delivery_way::fetch;
    else
        identity.address = advertised(options, port);
    identity.secret = secret_hex(32);
    identity.version = BATON_VERSION;
    settings.handlers = std::move(handlers);
    return settings;
}

} // namespace baton::client
