#pragma once
// Shared by the endpoints that change tasks.

#include "libs/storage/tasks.hpp"
#include "web/context.hpp"

#include <optional>

namespace baton::web {

// Refuses with 422 a schedule that is invalid or has no firing from `from` on.
void check_future(protocol::task_definition const& definition, utc_time created_at, utc_time from);

// Refuses any outcome but `done`: 404, 409 or 412. `name` is the one that an edit gives the task, if it gives one.
void expect_done(storage::edit_outcome outcome, std::string const& name = {});

// Notes on the clock changes that the schedule of a task meets (clock_notes.hpp).
nlohmann::json show_notes(protocol::schedule_spec const& spec, utc_time created_at, utc_time now);
// The same, and behind them those on its policies (policy_notes.hpp).
nlohmann::json show_notes(storage::task_record const& task, utc_time now);

// Notifies the master of the committed edit and shows the task as it is now, with ETag and the members of `more`.
awaitable<http::response> answer_edit(context& site, storage::edit_result const& done, int status,
                                      nlohmann::json const& more = nlohmann::json::object());

// The same answer for a request that changed nothing.
awaitable<http::response> answer_unchanged(context& site, storage::task_record const& task,
                                           nlohmann::json const& more = nlohmann::json::object());

// Runs an edit with the If-Match of `message` and answers it.
awaitable<http::response> edit_task(context& site, http::request const& message, storage::edit_action action,
                                    std::function<protocol::task_definition(storage::task_record const&)> change);

} // namespace baton::web
