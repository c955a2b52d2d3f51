#pragma once

#include "libs/base/id.hpp"
#include "libs/http/router.hpp"
#include "libs/schedule/plan.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/nodes.hpp"
#include "libs/storage/tasks.hpp"
#include "libs/storage/terms.hpp"
#include "web/master_line.hpp"
#include "web/site.hpp"

#include <string>

namespace baton::web {

// What the endpoints share.
struct context {
    context(settings const& how, world const& given)
        : outside(given),
          token(how.token),
          edit_lead(how.edit_lead),
          ids(given.time, given.random),
          tasks(given.shared, schedule::plan_edit, how.edit_lead),
          executions(given.shared),
          nodes(given.shared),
          clients(given.shared),
          terms(given.shared, given.shared), // only read here
          master(given.time, given.lease, given.shared, given.http, {how.notify_limit, how.master_cache})
    {}

    world outside;
    std::string token;
    duration edit_lead;
    id_generator ids;
    storage::tasks tasks;
    storage::executions executions;
    storage::nodes nodes;
    storage::clients clients;
    storage::terms terms;
    std::string const name_space = "master"; // of the lock row, which the lease store reads
    master_line master;
};

// An endpoint. May throw `refused`, besides what the router understands; the request lives until it has ended.
using endpoint = awaitable<http::response> (*)(context&, http::request const&);

// Adds it to the table; `site` must outlive the table.
void serve(http::router& table, context& site, http::verb method, std::string pattern, endpoint which);

} // namespace baton::web
