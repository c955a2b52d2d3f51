#pragma once
// The decisions of `baton task import`, as pure functions on tasks as REST shows them.

#include "cli/difference.hpp"
#include "libs/storage/clients.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace baton::cli {

// The definitions of a JSON file: of one task, of an array, or of the items that `baton task list --json` prints.
// Members that only the server writes are left out. A task that runs after another one of the list comes behind it.
// Throws invalid_input if it is a list without its end.
std::vector<nlohmann::json> definitions_in(nlohmann::json document);

// Compares a registered task with the definition that the file has for it. Members that the definition leaves out do
// not count, so that people can set them at the server: also `enabled`, and those of a schedule of the same kind.
// Throws invalid_input, with the field, for a definition that is wrong.
std::vector<difference> differences_from_file(nlohmann::json const& registered, nlohmann::json const& definition);

// The task with the definition's values for the members that differ. A schedule of the same kind keeps the members that
// the definition leaves out.
nlohmann::json updated_task(nlohmann::json registered, std::vector<difference> const& found,
                            nlohmann::json const& definition);

// True if the task is disabled and the file has it enabled.
bool enables(std::vector<difference> const& found);

// True if an update changes the handler or its service, which the server then checks.
bool names_another_handler(std::vector<difference> const& found);

// The handlers of each service, from the server's list of clients.
using handlers_by_service = std::map<protocol::service_key, std::set<std::string>>;
handlers_by_service live_services(nlohmann::json const& clients);
// As the server would read it.
storage::clients::served_handlers served_in(handlers_by_service const& live, protocol::service_key const& service);

// schedule.cron: "0 2 * * *" at the server, "0 3 * * *" in the file. Long values are cut.
std::string import_text(difference const& each);

// The enabled tasks among `registered` that an import from this origin made (origin_of), or one of an earlier version
// from this file (is_former_origin), and whose names are not among those of the file's lines.
std::vector<nlohmann::json> without_line(std::vector<nlohmann::json> const& registered, std::string const& origin,
                                         std::string const& file, std::set<std::string> const& names);

} // namespace baton::cli
