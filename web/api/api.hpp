#pragma once
// The resources under /api/v1, one file for each.

#include "web/context.hpp"

namespace baton::web {

void serve_tasks(http::router& table, context& site);
void serve_task_actions(http::router& table, context& site); // enable, disable, run, next
void serve_skip_next(http::router& table, context& site);
void serve_task_versions(http::router& table, context& site);
void serve_calendars(http::router& table, context& site);
void serve_events(http::router& table, context& site);
void serve_executions(http::router& table, context& site);
void serve_dead_letters(http::router& table, context& site);
void serve_nodes(http::router& table, context& site);
void serve_overview(http::router& table, context& site);
void serve_terms(http::router& table, context& site);
void serve_services(http::router& table, context& site); // and projects
void serve_service_settings(http::router& table, context& site);
void serve_zones(http::router& table, context& site);
void serve_clients(http::router& table, context& site);
void serve_schedules(http::router& table, context& site);
void serve_cron(http::router& table, context& site);
void serve_health(http::router& table, context& site);

} // namespace baton::web
