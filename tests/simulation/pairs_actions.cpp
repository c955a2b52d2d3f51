#include "libs/base/log.hpp"
#include "tests/simulation/pairs_known.hpp"
#include "tests/simulation/pairs_world.hpp"

#include <soci/soci.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

// Actions of people, through the endpoints of web.

namespace pairs_sim {

namespace {

constexpr char probe_text[] = R"({"name": "probe", "project": "probe", "service": "probe", "handler": "work",
    "schedule": {"kind": "fixed_rate", "every_ms": 500},
    "misfire": {"action": "fire_all", "after_ms": 60000, "limit": 1000}})";

json scope_document(item kind, int slots)
{
    if (kind == item::service_rate)
        return {{"limits", {{"rate", {{"limit", 2 + slots}, {"per_ms", 1'000}, {"burst", 3}}}}}};
    if (slots == 0)
        return json::object();
    return {{"limits", {{"concurrency", slots}}}};
}

std::string scope_path(item kind)
{
    if (kind == item::project_slots)
        return fmt::format("/api/v1/projects/{}", limited_project);
    return fmt::format("/api/v1/services/{}/{}", limited_project, limited_service);
}

} // namespace

awaitable<http::response> pairs_world::call(http::verb method, std::string const& target, json const& body)
{
    http::request asked;
    asked.method = method;
    asked.target = target;
    asked.headers.set("Host", "127.0.0.1");
    asked.headers.set("Content-Type", "application/json");
    if (!body.is_null())
        asked.body = body.dump();
    co_return co_await routes_(asked);
}

awaitable<void> pairs_world::ask(performed_action& act, http::verb method, std::string const& target, json const& body)
{
    act.note += fmt::format("{} {} ", http::to_string(method), target);
    if (!body.is_null())
        act.note += body.dump().substr(0, 200);
    auto const answer = co_await call(method, target, body);
    act.status = answer.status;
    act.answer = json::parse(answer.body, nullptr, false);
}

awaitable<std::int64_t> pairs_world::create(std::string const& path, json const& document)
{
    auto const made = co_await call(http::verb::post, path, document);
    if (made.status != 201)
        throw std::logic_error(document.dump().substr(0, 900) + ": " + made.body);
    co_return std::stoll(json::parse(made.body).at("id").get<std::string>());
}

awaitable<void> pairs_world::set_up()
{
    std::string const calendars = "/api/v1/calendars";
    std::string const tasks = "/api/v1/tasks?allow_unserved=true";
    json calendar{{"name", calendar_name}, {"project", limited_project}, {"yearly", {"12-25"}}};
    co_await create(calendars, calendar);
    calendar["project"] = "default";
    calendar_ = co_await create(calendars, calendar);
    auto const slots = 3 + static_cast<int>(seed_ % 3);
    auto const limits = scope_document(plan_.scope, slots);
    auto const path = scope_path(plan_.scope) + "/settings";
    co_await call(http::verb::put, path, limits);
    note_scope(slots);
    for (auto& each : seen_.scopes)
        each.sure = true;
    auto const probe = json::parse(probe_text);
    seen_.probe = co_await create(tasks, probe);
    ids_.assign(seen_.tasks.size(), 0);
    for (bool const with_parent : {false, true})
        for (auto& task : seen_.tasks) {
            if (task.has(item::after) != with_parent)
                continue;
            task.definition = definition_of(task, seen_.tasks, seen_.begin, chance_);
            auto const id = co_await create(tasks, task.definition);
            ids_[static_cast<std::size_t>(task.number)] = id;
            seen_.number_of[id] = task.number;
        }
}

// It may hold from now on.
void pairs_world::note_scope(int slots)
{
    if (plan_.scope != item::service_rate)
        seen_.scopes.push_back(
            {limited_project, plan_.scope == item::project_slots ? "" : limited_service, slots, utc(), false});
}

void pairs_world::act(planned_action const& planned)
{
    ++acting_;
    web_host_.spawn(act_by_web(planned), [this] { --acting_; });
}

// The request of an action that needs no look at the tables.
pairs_world::plain_request pairs_world::request_of(planned_action const& planned)
{
    auto const path = "/api/v1/tasks/" + id_of(planned.task);
    switch (planned.what) {
    case item::disable:
        return {http::verb::post, path + "/disable", nullptr};
    case item::enable:
        return {http::verb::post, path + "/enable", nullptr};
    case item::remove:
        return {http::verb::del, path, nullptr};
    case item::run:
        return {http::verb::post, path + "/run?allow_unserved=true", nullptr};
    case item::force:
        return {http::verb::post, path + "/run?allow_unserved=true", {{"force", true}}};
    case item::skip_next:
        return {http::verb::post, path + "/skip-next", {{"by", "ann"}, {"reason", "drawn"}, {"count", from(1, 4)}}};
    case item::undo_skip:
        return {http::verb::del, path + "/skip-next", nullptr};
    case item::change_calendar:
        return {http::verb::put,
                fmt::format("/api/v1/calendars/{}", calendar_),
                {{"name", calendar_name},
                 {"project", "default"},
                 {"yearly", {"12-25", fmt::format("11-{:02}", from(1, 28))}}}};
    default:
        return {};
    }
}

awaitable<void> pairs_world::act_by_web(planned_action planned)
{
    performed_action act;
    act.what = planned.what;
    act.task = planned.task;
    act.sent = utc();
    stage_.log.note(fmt::format("action {} on t{}", name_of(planned.what), planned.task));
    auto const plain = request_of(planned);
    if (!plain.target.empty())
        co_await ask(act, plain.method, plain.target, plain.body);
    else if (planned.what == item::change_scope)
        co_await change_scope(act);
    else if (planned.what == item::rerun)
        co_await rerun(act);
    else if (planned.what == item::release || planned.what == item::cancel)
        co_await touch_execution(act);
    else if (planned.what == item::pause_hold || planned.what == item::pause_skip || planned.what == item::resume)
        co_await pause(act);
    else
        co_await edit(act);
    act.answered = utc();
    stage_.log.note(fmt::format("action {} on t{} is answered {}", name_of(act.what), act.task, act.status));
    seen_.actions.push_back(std::move(act));
}

awaitable<void> pairs_world::edit(performed_action& act)
{
    auto const& task = seen_.tasks[static_cast<std::size_t>(act.task)];
    auto const path = "/api/v1/tasks/" + id_of(act.task) + "?allow_unserved=true";
    json patch;
    if (act.what == item::edit_text)
        patch["description"] = fmt::format("edit {}", seen_.actions.size());
    else if (act.what == item::edit_schedule)
        patch["schedule"] = other_schedule(task.definition.at("schedule"), chance_);
    else if (act.what == item::edit_limit) {
        auto policy = task.definition.value("concurrency", json{{"when_full", "wait"}});
        policy["limit"] = from(1, 3) == 1 ? 5 : from(1, 4);
        patch["concurrency"] = policy;
    } else
        patch["service"] = from(1, 2) == 1 ? std::string(other_service) : task.service;
    co_await ask(act, http::verb::patch, path, patch);
}

awaitable<void> pairs_world::change_scope(performed_action& act)
{
    auto const slots = from(2, 6);
    auto const path = scope_path(plan_.scope) + "/settings";
    auto const limits = scope_document(plan_.scope, slots);
    note_scope(slots);
    auto const number = seen_.scopes.size();
    co_await ask(act, http::verb::put, path, limits);
    if (number > 0)
        seen_.scopes[number - 1].sure = act.status == 200;
}

std::vector<std::int64_t> pairs_world::ids_of(std::string const& sql)
{
    std::vector<std::int64_t> out;
    store_->inspect([&](soci::session& session) {
        soci::rowset<std::int64_t> const found = session.prepare << sql;
        out.assign(found.begin(), found.end());
    });
    return out;
}

// Takes one of the tasks that the statement finds.
void pairs_world::retarget(performed_action& act, std::string const& sql)
{
    auto const tasks = ids_of(sql);
    if (tasks.empty())
        return;
    auto const found =
        seen_.number_of.find(tasks[static_cast<std::size_t>(from(0, static_cast<int>(tasks.size()) - 1))]);
    if (found != seen_.number_of.end())
        act.task = found->second;
}

// Dead letters of the task, or of another one if it has none.
awaitable<void> pairs_world::rerun(performed_action& act)
{
    auto const sql = [&] {
        // Of each broadcast one only, as long as several can stop the cluster.
        std::string const alone = is_open(fault::shards_rerun_together) ? "COALESCE(e.parent_id, e.id)" : "e.id";
        return "SELECT MIN(e.id) FROM dead_letter d JOIN execution e ON e.id = d.execution_id WHERE d.resolution = "
               "'open' AND d.task_id = " +
               id_of(act.task) + " GROUP BY " + alone + " ORDER BY 1 LIMIT 20";
    };
    auto letters = ids_of(sql());
    if (letters.empty()) {
        retarget(act, "SELECT DISTINCT task_id FROM dead_letter WHERE resolution = 'open' ORDER BY task_id");
        letters = ids_of(sql());
    }
    if (letters.empty()) {
        act.note = "no dead letter";
        co_return;
    }
    auto const most = static_cast<std::size_t>(from(1, 8));
    letters.resize(std::min(letters.size(), most));
    json names = json::array();
    for (auto const each : letters)
        names.push_back(std::to_string(each));
    json const body{{"executions", names}};
    std::string const path = "/api/v1/dead-letters/retry";
    co_await ask(act, http::verb::post, path, body);
}

awaitable<void> pairs_world::touch_execution(performed_action& act)
{
    bool const cancels = act.what == item::cancel;
    std::string const verb = cancels ? "cancel" : "release";
    std::string const table = cancels ? "execution e WHERE e.due_at IS NOT NULL AND e.cancel_requested_at IS NULL"
                                      : "unresponsive u JOIN execution e ON e.id = u.execution_id WHERE 1 = 1";
    auto const sql = [&] {
        return "SELECT e.id FROM " + table + " AND e.task_id = " + id_of(act.task) + " ORDER BY e.id LIMIT 5";
    };
    auto open = ids_of(sql());
    if (open.empty()) {
        retarget(act, "SELECT DISTINCT e.task_id FROM " + table + " AND e.project <> 'probe' ORDER BY e.task_id");
        open = ids_of(sql());
    }
    if (open.empty()) {
        act.note = "nothing to " + verb;
        co_return;
    }
    auto const which = open[static_cast<std::size_t>(from(0, static_cast<int>(open.size()) - 1))];
    auto const path = fmt::format("/api/v1/executions/{}/{}", which, verb);
    json const nothing;
    co_await ask(act, http::verb::post, path, nothing);
}

// Of the task's service, or now and then of the whole project.
awaitable<void> pairs_world::pause(performed_action& act)
{
    bool const begins = act.what != item::resume;
    auto const& task = seen_.tasks[static_cast<std::size_t>(act.task)];
    auto path = fmt::format("/api/v1/services/{}/{}", task.project, task.service);
    auto const of_project = "/api/v1/projects/" + task.project;
    if (begins && from(1, 100) <= 20)
        path = of_project;
    if (!begins) {
        json const nothing;
        auto const first = of_project + "/resume";
        auto const second = path + "/resume";
        co_await ask(act, http::verb::post, first, nothing);
        co_await ask(act, http::verb::post, second, nothing);
        co_return;
    }
    path += "/pause";
    json const body{{"reason", "drawn"}, {"by", "ann"}, {"firings", act.what == item::pause_skip ? "skip" : "hold"}};
    co_await ask(act, http::verb::post, path, body);
}

} // namespace pairs_sim
