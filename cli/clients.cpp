// baton clients: the clients, their handlers, and what their homes tell of them.

#include "cli/commands.hpp"
#include "cli/rest.hpp"
#include "cli/service_name.hpp"
#include "cli/span.hpp"
#include "cli/table.hpp"
#include "cli/this_user.hpp"
#include "libs/base/printable.hpp"

#include <cstdlib>
#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

std::string listed(nlohmann::json const& names)
{
    std::string text;
    for (auto const& name : names)
        text += (text.empty() ? "" : ", ") + name.get<std::string>();
    return text;
}

struct clients_options {
    std::string project;
    std::string service;
    std::size_t limit = 1'000;
};

std::string target_of(clients_options const& chosen)
{
    if (!chosen.service.empty()) {
        auto const of = service_named(chosen.service, chosen.project);
        return "/api/v1/clients?project=" + http::percent_encode(of.project) +
               "&service=" + http::percent_encode(of.service);
    }
    return chosen.project.empty() ? "/api/v1/clients"
                                  : "/api/v1/clients?project=" + http::percent_encode(chosen.project);
}

// "3/8": free slots of all.
std::string free_slots(nlohmann::json const& client, nlohmann::json const& live)
{
    return cell(live, "free_slots") + "/" + cell(client, "slots");
}

// "drained" by a person, and else what the client says itself.
std::string state_of(nlohmann::json const& client)
{
    return client.value("drained", nlohmann::json()).is_null() ? cell(client, "state") : "drained";
}

void show_drain(nlohmann::json const& client, times const& at)
{
    auto const drain = client.value("drained", nlohmann::json());
    if (drain.is_null())
        return;
    auto const by = cell(drain, "by");
    auto const reason = cell(drain, "reason");
    std::cout << cell(client, "instance") << ": drained since " << at.text(drain, "since")
              << (by.empty() ? "" : " by " + by) << (reason.empty() ? "" : ": " + reason) << '\n';
}

// As on the page. The error of the estimate is the transit time of the quickest of the last heartbeats.
constexpr std::int64_t clock_shown_from = 100; // milliseconds

void show_clock(nlohmann::json const& client)
{
    auto const live = client.value("live", nlohmann::json());
    auto const offset = live.is_object() ? live.value("clock_offset_ms", nlohmann::json()) : nlohmann::json();
    if (!offset.is_number_integer() || std::abs(offset.get<std::int64_t>()) < clock_shown_from)
        return;
    auto const ahead = offset.get<std::int64_t>();
    std::cout << cell(client, "instance") << ": its clock is " << span_text(std::abs(ahead))
              << (ahead > 0 ? " ahead of" : " behind") << " the cluster's\n";
}

void show_refused(nlohmann::json const& client)
{
    auto const live = client.value("live", nlohmann::json());
    auto const refused = live.is_object() ? live.value("refused", nlohmann::json()) : nlohmann::json();
    if (refused.is_object())
        std::cout << cell(client, "instance") << ": its message to " << cell(refused, "path") << " was refused "
                  << span_text(refused.at("ms").get<std::int64_t>()) << " ago: " << cell(refused, "why") << '\n';
}

void show_notes(nlohmann::json const& items, times const& at)
{
    for (auto const& each : items) {
        show_drain(each, at);
        show_clock(each);
        show_refused(each);
        if (each.at("reach") == "unreachable")
            std::cout << cell(each, "instance") << ": " << cell(each, "reach_why") << '\n';
        if (auto const why = each.value("live_why", nlohmann::json()); why.is_string())
            std::cout << cell(each, "instance") << ": no figures, " << printable(why.get<std::string>()) << '\n';
    }
}

void show(clients_options const& chosen, common_options const& common)
{
    auto const answer = rest(common).page(target_of(chosen), chosen.limit);
    if (common.json)
        return print_json(std::cout, answer);
    auto const at = times_of(common);
    table shown({"SERVICE", "INSTANCE", "ADDRESS", "STATE", "REACH", "HEARD", "ANSWERED", "FREE", "RUNNING", "HANDLERS",
                 "TAGS", at.title("JOINED")});
    shown.when_narrow({"JOINED", "TAGS", "ANSWERED", "ADDRESS", "HANDLERS", "STATE", "RUNNING", "HEARD"},
                      at.day(system_time{}.utc()));
    for (auto const& each : answer.at("items")) {
        auto const address = cell(each, "address");
        auto const live = each.value("live", nlohmann::json());
        shown.add({protocol::to_text({cell(each, "project"), cell(each, "service")}), cell(each, "instance"),
                   address.empty() ? "(fetches)" : address, state_of(each), cell(each, "reach"),
                   span_cell(live, "heard_ms"), span_cell(live, "answered_ms"), free_slots(each, live),
                   cell(live, "in_flight"), listed(each.at("handlers")), listed(each.at("tags")),
                   at.cell(each, "joined_at")});
    }
    shown.print(std::cout);
    show_notes(answer.at("items"), at);
    if (!answer.at("next").is_null())
        std::cout << "there are more clients: --limit shows more, --service those of one service\n";
}

struct change_options {
    std::string instance;
    std::string reason;
    std::string by;
};

void change(change_options const& chosen, bool drain, common_options const& common)
{
    nlohmann::json body{{"by", chosen.by.empty() ? this_user() : chosen.by}};
    if (!chosen.reason.empty())
        body["reason"] = chosen.reason;
    auto const target = "/api/v1/clients/" + http::percent_encode(chosen.instance) + (drain ? "/drain" : "/resume");
    auto const answer = rest(common).send(http::verb::post, target, body);
    if (common.json)
        return print_json(std::cout, answer);
    auto const& client = answer.at("client");
    auto const live = client.value("live", nlohmann::json());
    if (!drain)
        std::cout << "client " << chosen.instance << ": resumed\n";
    else
        std::cout << "client " << chosen.instance << ": drained since "
                  << times_of(common).text(client.at("drained"), "since")
                  << "; executions with it: " << cell(live, "in_flight") << '\n';
    if (auto const why = answer.value("home_why", nlohmann::json()); why.is_string())
        std::cout << "note: " << printable(why.get<std::string>()) << '\n';
}

void add_change(CLI::App& group, bool drain, common_options const& common)
{
    auto const chosen = std::make_shared<change_options>();
    auto& command = *group.add_subcommand(drain ? "drain" : "resume",
                                          drain ? "Send nothing new to a client; it ends what it has"
                                                : "Send work again to a client that a person has drained");
    command.footer(drain ? "Example: baton clients drain billing-1 --reason 'new disk'"
                         : "Example: baton clients resume billing-1");
    command.add_option("instance", chosen->instance, "The client, as `baton clients` shows it")->required();
    if (drain)
        command.add_option("--reason", chosen->reason, "Why; others see it in the list of clients");
    command.add_option("--by", chosen->by,
                       drain ? "Who drains it (default: the user of this shell)"
                             : "Who resumes it (default: the user of this shell)");
    command.callback([chosen, drain, &common] { change(*chosen, drain, common); });
}

} // namespace

void add_clients(CLI::App& program, common_options const& common)
{
    auto& command = *program.add_subcommand("clients", "Show the clients and what they do, drain and resume them");
    command.require_subcommand(0, 1)->fallthrough();
    auto const chosen = std::make_shared<clients_options>();
    command.add_option("--project", chosen->project, "Only clients of this project");
    command.add_option("--service", chosen->service, "Only clients of this service, or project/service");
    command.add_option("--limit", chosen->limit, "Number of clients, in order of instance")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    command.footer(
        "STATE and REACH are what the clients' nodes last wrote; drained: a person lets it get nothing new. The nodes "
        "are asked for the rest:\n"
        "HEARD: since the last heartbeat. ANSWERED: since the client last answered a call of its node.\n"
        "FREE: slots that are free, of all its slots. RUNNING: executions that it has, and those on their way to it.\n"
        "Example: baton clients --service shop/billing");
    command.callback([chosen, &common, &command] {
        if (command.get_subcommands().empty())
            show(*chosen, common);
    });
    add_change(command, true, common);
    add_change(command, false, common);
}

} // namespace baton::cli
