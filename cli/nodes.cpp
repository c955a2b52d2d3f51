// baton nodes: the nodes, the lease of the master, and the history of terms.

#include "cli/commands.hpp"
#include "cli/node_list.hpp"
#include "cli/rest.hpp"
#include "cli/span.hpp"
#include "cli/table.hpp"
#include "libs/base/printable.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace baton::cli {

namespace {

std::string one_decimal(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

// Of the processor time of its loops.
std::string longest_step(nlohmann::json const& node)
{
    double most = -1;
    for (auto const& loop : node.value("loops", nlohmann::json::array()))
        most = std::max(most, loop.value("longest_step_ms", 0.0));
    return most < 0 ? "-" : one_decimal(most);
}

constexpr char columns_of_nodes[] =
    "ROLE: master, slave, or gone: it wrote its row last longer ago than its time to live (4 s). A node that is gone "
    "is\n"
    "left out once a live one has its name.\n"
    "ALIVE: yes, no, or silent and since when: it should have written its row twice since then. It may have been\n"
    "killed; it counts as gone after its time to live. HEARD is the age of its row.\n"
    "LOAD: the part of the queue for its clients that is in use, from 0 to 1.\n"
    "STEP: the longest piece of work, in ms of processor time, in which its loop did nothing else.\n"
    "CLOCK: its wall clock minus the database's, by which the cluster plans.\n"
    "ZONES: its zone database (baton zones).\n";

constexpr char columns_of_terms[] =
    "WON: how the node became master: free: the lease was given up before; expired: it was not renewed in time;\n"
    "guard: the death of the master was noticed before the lease expired.\n"
    "GAP: the time without a master, from the end of the term before to ACTING, when planning began.\n"
    "REPLAYED: open executions that were past due and were taken over.\n";

struct nodes_options {
    bool terms = false;
    std::size_t limit = 20;
};

void show_terms(nodes_options const& chosen, common_options const& common)
{
    auto const found = rest(common).page("/api/v1/terms", chosen.limit);
    if (common.json)
        return print_json(std::cout, found);
    auto const at = times_of(common);
    table shown(
        {"EPOCH", "NODE", "WON", at.title("BEGAN"), at.title("ACTING"), "GAP", at.title("ENDED"), "WHY", "REPLAYED"});
    shown.when_narrow({"REPLAYED", "ACTING", "BEGAN"}, at.day(system_time{}.utc()));
    for (auto const& each : found.at("items"))
        shown.add({cell(each, "epoch"), cell(each, "node"), cell(each, "how"), at.cell(each, "began_at"),
                   at.cell(each, "acting_at"), span_cell(each, "gap_ms"), at.cell(each, "ended_at"),
                   cell(each, "why_ended"), cell(each, "replayed")});
    shown.print(std::cout);
}

void show_failover(nlohmann::json const& answer, times const& at)
{
    auto const last = answer.value("last_failover", nlohmann::json());
    if (last.is_null())
        return;
    std::cout << "last failover: " << cell(last, "to") << " took over from " << cell(last, "from") << " at "
              << at.text(last, "at") << ", after a gap of " << span_cell(answer, "last_gap_ms") << '\n';
}

void show_nodes(common_options const& common)
{
    auto const answer = rest(common).get("/api/v1/nodes");
    if (common.json)
        return print_json(std::cout, answer);
    table shown({"NAME", "ADDRESS", "ROLE", "EPOCH", "ALIVE", "HEARD (s ago)", "CLIENTS", "LOAD", "STEP (ms)",
                 "CLOCK (ms)", "VERSION", "ZONES"});
    shown.when_narrow({"ZONES", "CLOCK (ms)", "STEP (ms)", "VERSION", "EPOCH", "LOAD", "ADDRESS"});
    auto const nodes = nodes_for_people(answer.at("items"));
    for (auto const& each : nodes)
        shown.add({cell(each, "name"), cell(each, "address"), role_of(each), cell(each, "epoch"), alive_text(each),
                   one_decimal(each.value("age_ms", 0.0) / 1'000), cell(each, "clients"), cell(each, "load"),
                   longest_step(each), cell(each, "clock_offset_ms"), cell(each, "version"), cell(each, "zones")});
    shown.print(std::cout);
    for (auto const& each : nodes)
        if (auto const why = each.value("cannot_plan", nlohmann::json()); why.is_string())
            std::cout << cell(each, "name") << " cannot plan: " << printable(why.get<std::string>()) << '\n';
    for (auto const& each : nodes)
        for (auto const& part : each.value("failed_parts", nlohmann::json::array()))
            std::cout << cell(each, "name") << " has a part of the master that fails since " << cell(part, "since")
                      << ": " << cell(part, "part") << ": " << cell(part, "cause") << '\n';
    for (auto const& each : nodes)
        if (each.value("contact", "") == "cut_off")
            std::cout << cell(each, "name")
                      << " is cut off: the master takes none of its reports, so its clients move to other nodes\n";
    std::cout << lease_text(answer.at("lease")) << '\n';
    show_failover(answer, times_of(common));
}

} // namespace

void add_nodes(CLI::App& program, common_options const& common)
{
    auto& command = *program.add_subcommand("nodes", "Show the nodes and the lease");
    command.footer(std::string(columns_of_nodes) + "With --terms:\n" + columns_of_terms +
                   "Example: baton nodes --terms --limit 5");
    auto const chosen = std::make_shared<nodes_options>();
    auto* const terms = command.add_flag("--terms", chosen->terms, "Show the terms of mastership instead");
    command.add_option("--limit", chosen->limit, "Number of terms, the latest first")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000))
        ->needs(terms);
    command.callback([chosen, &common] {
        if (chosen->terms)
            show_terms(*chosen, common);
        else
            show_nodes(common);
    });
}

void add_terms(CLI::App& program, common_options const& common)
{
    auto& command = *program.add_subcommand("terms", "Show the terms of mastership (the same as nodes --terms)");
    command.footer(std::string(columns_of_terms) + "Example: baton terms --limit 5");
    auto const chosen = std::make_shared<nodes_options>();
    command.add_option("--limit", chosen->limit, "Number of terms, the latest first")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    command.callback([chosen, &common] { show_terms(*chosen, common); });
}

} // namespace baton::cli
