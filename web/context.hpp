#pragma once

#include "libs/base/id.hpp"
#include "libs/base/loop_thread.hpp"
#include "libs/http/router.hpp"
#include "libs/schedule/plan.hpp"
#include "libs/storage/calendars.hpp"
#include "libs/storage/clients.hpp"
#include "libs/storage/dead_letters.hpp"
#include "libs/storage/execution_counts.hpp"
#include "libs/storage/executions.hpp"
#include "libs/storage/handler_schemas.hpp"
#include "libs/storage/nodes.hpp"
#include "libs/storage/run_times.hpp"
#include "libs/storage/services.hpp"
#include "libs/storage/tasks.hpp"
#include "libs/storage/terms.hpp"
#include "libs/storage/zones.hpp"
#include "web/events/event_hub.hpp"
#include "web/execution_places.hpp"
#include "web/home_notifier.hpp"
#include "web/kept_answer.hpp"
#include "web/live_figures.hpp"
#include "web/master_finder.hpp"
#include "web/master_notifier.hpp"
#include "web/overview_cache.hpp"
#include "web/site.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace baton::web {

// Shared by the endpoints.
struct context {
    context(web::settings const& chosen, dependencies const& given)
        : deps(given),
          settings(chosen),
          ids(given.time, given.random),
          tasks(given.shared, schedule::plan_edit, chosen.edit_lead),
          calendars(given.shared),
          executions(given.shared),
          dead_letters(given.shared),
          nodes(given.shared),
          clients(given.shared),
          schemas(given.shared),
          services(given.shared),
          terms(given.shared, given.shared), // only read here
          zones(given.shared, given.shared), // likewise
          counts(given.shared),
          times(given.shared),
          overview(given.shared),
          totals(given.shared, given.time),
          events(given.shared, chosen.name_space, given.time, std::to_string(given.random.next()),
                 static_cast<std::size_t>(chosen.event_streams)),
          figures(given.time, given.shared, given.http, {}),
          homes(given.shared, given.http, chosen.notify_limit),
          leader(given.time, given.lease, given.shared, chosen.master_cache),
          master(leader, given.http, chosen.notify_limit),
          places(leader, given.http)
    {}

    dependencies deps;
    web::settings settings;
    id_generator ids;
    storage::tasks tasks;
    storage::calendars calendars;
    storage::executions executions;
    storage::dead_letters dead_letters;
    storage::nodes nodes;
    storage::clients clients;
    storage::handler_schemas schemas; // of the clients' handlers
    storage::services services;
    storage::terms terms;
    storage::zones zones;
    storage::execution_counts counts;
    storage::run_times times;
    storage::overview overview;
    overview_cache totals;
    std::map<std::optional<std::string>, std::shared_ptr<kept_answer>> overviews; // by project; of all without one
    event_hub events;
    live_figures figures;
    home_notifier homes;
    master_finder leader;
    master_notifier master;
    execution_places places;
    loop_thread file_reader; // for files whose reading may take long
    loop_thread previewer;   // for previews of schedules, which take turns on it
};

// An endpoint. May throw `refused`, besides the exceptions that the router turns into answers. The request lives until
// the endpoint has ended.
using endpoint = awaitable<http::response> (*)(context&, http::request const&);

// Adds it to the table; `site` must outlive the table.
void serve(http::router& table, context& site, http::verb method, std::string pattern, endpoint which);

} // namespace baton::web
