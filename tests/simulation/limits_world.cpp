#include "tests/simulation/limits_world.hpp"

#include "libs/storage/clients.hpp"
#include "libs/storage/services.hpp"
#include "libs/storage/statement.hpp"
#include "tests/simulation/limits_draw.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <map>
#include <set>

namespace limits_sim {

namespace {

constexpr duration by_hand = 250ms;
constexpr duration begins = 300ms;
constexpr duration edited_after = 350ms; // a run by hand
constexpr duration dies = 850ms;
constexpr duration retry_pause = 1'200ms; // behind an end: at seven tenths of a second

std::uint64_t mix(std::uint64_t value)
{
    value += 0x9E3779B97F4A7C15;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

nlohmann::json to_json(rate const& one)
{
    return {{"limit", one.limit}, {"per_ms", one.per / 1ms}, {"burst", one.burst}};
}

nlohmann::json to_json(scope const& one)
{
    nlohmann::json limits = nlohmann::json::object();
    if (one.concurrency != 0)
        limits["concurrency"] = one.concurrency;
    if (one.tokens.limit != 0)
        limits["rate"] = to_json(one.tokens);
    return {{"limits", limits}};
}

nlohmann::json definition_of(task const& one, utc_time begin)
{
    nlohmann::json out{{"name", fmt::format("t{}", one.id)},
                       {"project", one.project},
                       {"service", one.service},
                       {"handler", "h"},
                       {"schedule", {{"kind", "api"}}},
                       {"priority", one.priority},
                       {"payload", {{"k", "a"}}},
                       {"misfire", {{"action", "fire_all"}, {"limit", 1000}}},
                       {"max_attempts", one.attempts},
                       {"retry_delay_ms", retry_pause / 1ms}};
    if (one.every > 0s)
        out["schedule"] = {
            {"kind", "fixed_rate"}, {"every_ms", one.every / 1ms}, {"start_at", to_rfc3339(begin + one.offset)}};
    if (one.limit != 0) {
        auto& policy = out["concurrency"];
        policy = {{"limit", one.limit}};
        policy["when_full"] = std::array{"wait", "skip", "replace"}[static_cast<std::size_t>(one.when_full)];
        if (one.queue != 0)
            policy["queue"] = one.queue;
        if (one.keyed)
            policy["key"] = "/k";
    }
    if (one.tokens.limit != 0)
        out["rate"] = to_json(one.tokens);
    if (one.start_within > 0s)
        out["limits"] = {{"start_within_ms", one.start_within / 1ms}};
    return out;
}

} // namespace

limits_world::limits_world(std::uint64_t seed, duration span)
    : stage_(seed),
      chance_(seed),
      seen_(draw_tasks(chance_)),
      seed_(seed),
      web_(stage_.add_host("web")),
      ids_(web_.time(), web_.random())
{
    make_tables();
    database_ = stage_.database.connect(web_, {.sessions = 1, .read_limit = 5s});
    executions_ = std::make_unique<storage::executions>(*database_);
    seen_.begin = now();
    seen_.end = now() + span;
    std::set<std::string> services;
    for (auto const& one : seen_.tasks) {
        services.insert(one.project + "/" + one.service);
        add(one);
    }
    for (auto const& one : seen_.scopes)
        set_limits(one);
    node_ = std::make_unique<played_node>(
        stage_, services,
        played_node::steps{[this](int task, execution_id id, int attempt) {
                               auto const& of = seen_.tasks[static_cast<std::size_t>(task - 1)];
                               auto const drawn =
                                   mix(seed_ ^ mix(static_cast<std::uint64_t>(id.value() * 8 + attempt)));
                               return std::pair{1 + static_cast<int>(drawn % static_cast<unsigned>(of.longest)),
                                                of.attempts == 1 || drawn % 5 != 0};
                           },
                           [this](protocol::report_request message) {
                               if (leads_ == nullptr)
                                   return;
                               message.node = node_name;
                               message.term = leads_->of->id();
                               leads_->lead->report(message);
                           }});
    home_ = join_nodes(node_->host(), node_->database(), node_name);
    for (auto const& name : services)
        add_client(name);
    add_slave();
    pass_until(grid(6s, begins));
}

void limits_world::set_limits(scope const& one)
{
    storage::services settings(*database_);
    auto const wanted = protocol::parse_service_settings(to_json(one));
    protocol::service_key const which{one.project, one.service};
    auto set = [&]() -> awaitable<void> { co_await settings.set_settings(which, {}, wanted, ids_); };
    stage_.play(set());
}

void limits_world::make_tables()
{
    stage_.make_tables();
    exec("INSERT INTO lock_fence (namespace, epoch) VALUES ('master', 5)");
}

void limits_world::exec(std::string const& sql)
{
    stage_.database.inspect([&](soci::session& session) {
        storage::statement change(session);
        change(storage::fragment{sql.c_str()});
        change.execute();
    });
}

void limits_world::add(task const& one)
{
    auto const text = definition_of(one, seen_.begin).dump();
    exec(fmt::format("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, "
                     "definition, created_at, updated_at, next_fire_at) VALUES ({0}, '{1}', 't{0}', 1, 1, '{2}', 'h', "
                     "'{3}', '{4}', {5}, 1, {6})",
                     one.id, one.project, one.service, one.every > 0s ? "fixed_rate" : "api", text,
                     to_micros(seen_.begin),
                     one.every > 0s ? std::to_string(to_micros(seen_.begin + one.offset)) : "NULL"));
    exec(fmt::format("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES "
                     "({}, 1, 'created', 1, '{}', 1)",
                     one.id, text));
}

void limits_world::add_client(std::string const& service)
{
    storage::client_record row;
    row.instance = "c-" + service;
    row.project = service.substr(0, service.find('/'));
    row.service = service.substr(service.find('/') + 1);
    row.address = "http://127.0.0.1:1";
    row.secret = "0123456789abcdef";
    row.handlers = {"h"};
    row.node = node_name;
    row.generation = 1;
    storage::clients table(*database_);
    auto call = [&]() -> awaitable<void> { co_await table.put(row); };
    stage_.play(call());
}

int limits_world::from(int least, int most)
{
    return least + static_cast<int>(chance_() % static_cast<unsigned>(most - least + 1));
}

utc_time limits_world::grid(duration ahead, duration part)
{
    return std::chrono::floor<std::chrono::seconds>(now() + ahead) + part;
}

void limits_world::pass_until(utc_time at)
{
    stage_.time.run_for(at - now());
}

// The next master has been a slave for long enough to know which nodes live.
void limits_world::add_slave()
{
    masters_.push_back(std::make_unique<played_master>(stage_, fmt::format("m{}", masters_.size() + 1)));
}

void limits_world::begin_master()
{
    auto const number = masters_.size();
    auto const replaced = number < 2 ? std::string() : masters_[number - 2]->name;
    leads_ = masters_.back().get();
    if (!seen_.terms.empty())
        seen_.terms.back().out = read_out();
    leads_->begin(5 + static_cast<std::int64_t>(number), replaced);
    seen_.terms.push_back({now(), seen_.end});
    add_slave();
}

record limits_world::pass()
{
    while (now() < seen_.end) {
        begin_master();
        lead_until(std::min(grid(from(15, 150) * 1s, dies), seen_.end));
        if (now() >= seen_.end)
            break;
        seen_.terms.back().ended = now();
        std::exchange(leads_, nullptr)->kill();
        auto const outage = from(1, 100) <= 70 ? from(3, 6) : from(7, 45);
        lead_until(std::min(grid(outage * 1s, begins), seen_.end));
    }
    read_executions();
    return seen_;
}

// People run tasks meanwhile, whether there is a master or not.
void limits_world::lead_until(utc_time end)
{
    for (;;) {
        auto const next = grid(from(1, 12) * 1s, by_hand);
        if (next >= end)
            break;
        pass_until(next);
        run_by_hand();
        if (next + edited_after < end && from(1, 100) <= 10) {
            pass_until(next + edited_after);
            edit_limits();
        }
    }
    pass_until(end);
}

void limits_world::run_by_hand()
{
    auto const& one = seen_.tasks[static_cast<std::size_t>(from(0, static_cast<int>(seen_.tasks.size()) - 1))];
    for (int left = one.storm == 0 ? 0 : from(1, one.storm); left > 0; --left)
        run_one(one);
    if (leads_ != nullptr)
        leads_->lead->signal();
}

// 0 takes the limit away.
void limits_world::edit_limits()
{
    auto const which = static_cast<std::size_t>(from(0, static_cast<int>(seen_.scopes.size()) - 1));
    auto changed = seen_.scopes[which];
    changed.concurrency = from(1, 100) <= 20 ? 0 : from(1, 5);
    seen_.edits.push_back({now(), which, changed.concurrency});
    set_limits(changed);
    if (leads_ != nullptr)
        leads_->lead->signal();
}

void limits_world::run_one(task const& one)
{
    storage::run_request request;
    request.task = task_id{one.id};
    request.force = from(1, 100) <= 15;
    if (one.keyed)
        request.payload = fmt::format(R"({{"k": "{}"}})", std::string(1, static_cast<char>('a' + from(0, 2))));
    auto call = [&]() -> awaitable<void> { co_await executions_->run_now(request, ids_); };
    stage_.play(call());
}

std::set<std::int64_t> limits_world::read_out()
{
    std::set<std::int64_t> found;
    stage_.database.inspect([&](soci::session& session) {
        storage::statement ask(session);
        ask.select("e.id")(
            " FROM execution e, lock_fence f WHERE e.due_at IS NOT NULL AND (e.out_attempt = e.attempt OR "
            "e.state IN ('running', 'stopping') OR (e.state = 'planned' AND e.due_at > f.watermark))");
        ask.each([&](storage::row& cells) { found.insert(cells.number()); });
    });
    return found;
}

void limits_world::read_executions()
{
    stage_.database.inspect([&](soci::session& session) {
        storage::statement ask(session);
        ask.select("id", "task_id", "scheduled_at", "run_key <> 0", "cause = 'forced'", "created_at", "state",
                   "COALESCE(reason, '')", "COALESCE(payload, '')")(" FROM execution ORDER BY scheduled_at, id");
        ask.each([&](storage::row& cells) {
            auto& one = seen_.executions.emplace_back();
            auto const id = cells.name<execution_id>();
            one.id = id.value();
            one.task = static_cast<int>(cells.number());
            one.due = cells.moment();
            one.by_hand = cells.flag();
            one.forced = cells.flag();
            one.created = cells.moment();
            one.state = cells.text();
            one.reason = cells.text();
            auto const payload = cells.text();
            if (seen_.tasks[static_cast<std::size_t>(one.task - 1)].keyed)
                one.key = payload.empty() ? "a" : nlohmann::json::parse(payload).at("k").get<std::string>();
            if (auto const found = node_->runs.find(id); found != node_->runs.end())
                for (auto const& run : found->second)
                    one.attempts.push_back(run.seen);
            if (auto const found = node_->cancels.find(id); found != node_->cancels.end())
                one.cancel_asked = found->second;
        });
    });
}

} // namespace limits_sim
