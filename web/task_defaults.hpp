#pragma once
// The defaults of services and projects for the policies of their tasks: taken over when a task is saved. Pure.

#include "libs/base/error.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/protocol/task.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace baton::web {

// The service that a document or a patch names, or that of the task that it changes. Empty parts if it names none; a
// wrong type is refused later.
protocol::service_key named_service(nlohmann::json const& document, protocol::task_definition const* before = nullptr);

// A document with the policies that it does not name, and where each comes from.
struct filled_document {
    nlohmann::json document;
    protocol::task_origins origins;
};

class task_defaults {
public:
    task_defaults() = default;
    // `settings`: of the service and of its project.
    explicit task_defaults(std::vector<protocol::scope_settings> const& settings);

    // A whole definition: members that it does not have are those of the service, else of the project.
    filled_document fill(nlohmann::json document) const;
    // A patch: the same for members that it removes. `origins` are those of the task after it.
    filled_document fill_patch(nlohmann::json patch, protocol::task_definition const& before) const;

private:
    struct entry {
        nlohmann::json const* value = nullptr;
        protocol::origin from = protocol::origin::built_in;
    };
    entry find(std::string const& member) const;
    void take_route(nlohmann::json& document, protocol::task_origins& origins) const;
    void take(nlohmann::json& document, std::string const& key, std::string const& member,
              protocol::task_origins& origins) const;

    nlohmann::json service_ = nlohmann::json::object();
    nlohmann::json project_ = nlohmann::json::object();
};

// After an edit: a policy that it gives with the value that the task has keeps its origin. After a patch only one that
// is built in does, so that a patch can make a default the task's own.
enum class origins_kept { all, built_in };
void keep_origins(protocol::task_definition& after, protocol::task_definition const& before,
                  origins_kept which = origins_kept::all);

// Where the present value of each policy comes from; route goes with routing.
protocol::task_origins effective_origins(protocol::task_definition const& task);

// The same error, which says so if the value that it is about is a default.
invalid_input explained(invalid_input const& wrong, protocol::task_origins const& origins,
                        protocol::service_key const& service);

} // namespace baton::web
