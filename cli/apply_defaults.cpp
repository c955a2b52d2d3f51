// baton services apply-defaults, baton projects apply-defaults.

#include "cli/default_options.hpp"
#include "cli/difference.hpp"
#include "cli/edit_document.hpp"
#include "cli/rest.hpp"
#include "cli/table.hpp"
#include "web/task_defaults.hpp"

#include <iostream>
#include <map>

namespace baton::cli {

namespace {

constexpr std::size_t most_tasks = 1'000'000;

// Of a service, or with an empty one of its project.
protocol::scope_settings settings_of(rest& web, protocol::service_key const& of)
{
    protocol::scope_settings found;
    found.of = of;
    auto const project = http::percent_encode(of.project);
    auto const path = of.service.empty() ? "/api/v1/projects/" + project
                                         : "/api/v1/services/" + project + "/" + http::percent_encode(of.service);
    try {
        auto const answer = web.get(path + "/settings");
        found.settings = protocol::parse_service_settings(answer.at("settings"));
    } catch (request_failed const& failure) {
        if (failure.status() != 404) // it has no settings
            throw;
    }
    return found;
}

struct applied {
    nlohmann::json patch;
    std::vector<difference> found; // of the values and their origins
};

// The change that the present defaults make in a task; `task` is as REST shows it.
applied apply_to(nlohmann::json const& task, web::task_defaults const& defaults)
{
    auto before = protocol::parse_task(definition_of(task));
    before.origins = protocol::parse_origins(task.at("origins"));
    applied out;
    out.patch = patch_of_defaults(task);
    auto const filled = defaults.fill_patch(out.patch, before);
    auto after = protocol::patch_task(before, filled.document);
    after.origins = filled.origins;
    out.found = differences_of(protocol::to_json(before), protocol::to_json(after));
    auto const origins = protocol::to_json(web::effective_origins(after));
    for (auto const& each : differences_of(task.at("origins"), origins))
        out.found.push_back({"origins." + each.member, each.from, each.to});
    return out;
}

std::string text_of(std::vector<difference> const& found)
{
    std::string text;
    for (auto const& each : found)
        text += (text.empty() ? "" : ", ") + each.member + " " + value_text(each.from) + " -> " + value_text(each.to);
    return text;
}

} // namespace

void apply_defaults(protocol::service_key const& of, bool dry_run, common_options const& common)
{
    rest web(common);
    auto const tasks = web.list("/api/v1/tasks?project=" + http::percent_encode(of.project) +
                                    (of.service.empty() ? "" : "&service=" + http::percent_encode(of.service)),
                                most_tasks);
    auto const of_project = settings_of(web, {of.project, {}});
    std::map<std::string, web::task_defaults> of_services;
    auto answers = nlohmann::json::array();
    for (auto const& task : tasks) {
        auto const service = task.at("service").get<std::string>();
        if (!of_services.contains(service)) {
            std::vector<protocol::scope_settings> const both{of_project, settings_of(web, {of.project, service})};
            of_services.emplace(service, web::task_defaults(both));
        }
        auto const change = apply_to(task, of_services.at(service));
        if (change.found.empty())
            continue;
        auto const id = task.at("id").get<std::string>();
        if (!dry_run)
            web.send(http::verb::patch, "/api/v1/tasks/" + id, change.patch);
        answers.push_back({{"task", id}, {"name", task.at("name")}, {"changes", text_of(change.found)}});
        if (!common.json)
            std::cout << "task " << cell(task, "name") << (dry_run ? " would change: " : ": ") << text_of(change.found)
                      << '\n';
    }
    if (common.json)
        print_json(std::cout, answers);
    else if (answers.empty())
        std::cout << (tasks.empty() ? "there are no tasks\n"
                                    : "nothing to change: each task has the defaults or values of its own\n");
}

} // namespace baton::cli
