#include "cli/service_name.hpp"

#include "libs/base/characters.hpp"

#include <CLI/CLI.hpp>

namespace baton::cli {

protocol::service_key service_named(std::string const& text, std::string const& project)
{
    auto const slash = text.find('/');
    if (slash == text.npos)
        return {project.empty() ? std::string(protocol::default_project) : project, text};
    protocol::service_key named{text.substr(0, slash), text.substr(slash + 1)};
    if (named.project.empty() || named.service.empty() || named.service.find('/') != named.service.npos)
        throw CLI::ValidationError("service", "must be a name, such as billing, or project/name, such as shop/billing, "
                                              "not " +
                                                  in_quotes(text));
    if (!project.empty() && project != named.project)
        throw CLI::ValidationError("service", in_quotes(text) + " is of the project " + in_quotes(named.project) +
                                                  " and --project names " + in_quotes(project) +
                                                  ": leave one of them out");
    return named;
}

void part_service(std::string& service, std::string& project)
{
    if (service.find('/') == service.npos)
        return;
    auto const of = service_named(service, project == protocol::default_project ? "" : project);
    project = of.project;
    service = of.service;
}

} // namespace baton::cli
