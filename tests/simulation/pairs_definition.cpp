#include "tests/simulation/pairs_plan.hpp"

#include <array>

namespace pairs_sim {

namespace {

struct writer {
    drawn_task const& task;
    std::mt19937_64& chance;
    utc_time begin;
    json out = json::object();

    int from(int least, int most)
    {
        return least + static_cast<int>(chance() % static_cast<unsigned>(most - least + 1));
    }
    bool has(item which) const { return task.has(which); }
    void schedule(std::vector<drawn_task> const& all);
    void misfire();
    void concurrency();
    void attempts();
    void limits();
    void routing();
};

void writer::schedule(std::vector<drawn_task> const& all)
{
    // Longer runs need longer pauses, so that the work does not pile up.
    auto const every = has(item::long_runs) ? from(6, 9) : from(2, 6);
    json spec;
    if (has(item::cron))
        spec = {{"kind", "cron"}, {"cron", "*/" + std::to_string(every) + " * * * * *"}};
    else if (has(item::rate))
        spec = {{"kind", "fixed_rate"}, {"every_ms", every * 1000 + from(0, 900)}};
    else if (has(item::delay))
        spec = {{"kind", "fixed_delay"}, {"every_ms", every * 1000 + from(0, 900)}};
    else if (has(item::once))
        spec = {{"kind", "once"}, {"at", baton::to_rfc3339(begin + from(4'000, 40'000) * 1ms)}};
    else if (has(item::after))
        spec = {{"kind", "after"}, {"task", all[static_cast<std::size_t>(task.parent)].name}};
    else
        spec = {{"kind", "api"}};
    bool const repeats = has(item::cron) || has(item::rate) || has(item::delay);
    if (repeats) { // so that a run ends
        spec["start_at"] = baton::to_rfc3339(begin + from(1'000, 3'000) * 1ms);
        spec["end_at"] = baton::to_rfc3339(begin + (has(item::validity) ? from(20, 50) * 1s : acting + 5s));
    }
    if (has(item::jitter))
        spec["jitter_ms"] = from(200, 3'000);
    if (has(item::maximum))
        spec["max_firings"] = from(2, 7);
    if (has(item::calendar))
        spec["calendars"] = json::array({{{"name", calendar_name}}});
    out["schedule"] = spec;
}

void writer::misfire()
{
    if (has(item::misfire_once))
        out["misfire"] = {{"action", "fire_once"}, {"after_ms", 3'000}};
    else if (has(item::misfire_all))
        out["misfire"] = {{"action", "fire_all"}, {"after_ms", 3'000}, {"limit", 5}};
    else if (has(item::misfire_within))
        out["misfire"] = {{"action", "fire_all"}, {"after_ms", 3'000}, {"limit", 50}, {"within_ms", 9'000}};
    else if (has(item::misfire_skip))
        out["misfire"] = {{"action", "skip"}, {"after_ms", 3'000}};
    else
        out["misfire"] = {{"action", "fire_all"}, {"after_ms", 60'000}, {"limit", 1'000}};
}

void writer::concurrency()
{
    json policy;
    auto const limit = from(1, 2);
    if (has(item::full_wait))
        policy = {{"limit", limit}, {"when_full", "wait"}};
    else if (has(item::full_bounded))
        policy = {{"limit", limit}, {"when_full", "wait"}, {"queue", from(1, 3)}};
    else if (has(item::full_skip))
        policy = {{"limit", limit}, {"when_full", "skip"}};
    else if (has(item::full_replace))
        policy = {{"limit", limit}, {"when_full", "replace"}};
    if (policy.is_null())
        return;
    if (has(item::keyed))
        policy["key"] = "/k";
    out["concurrency"] = policy;
}

void writer::attempts()
{
    if (has(item::retries))
        out["max_attempts"] = from(2, 3);
    out["retry_delay_ms"] = from(200, 1'500);
    json retry = json::object();
    if (has(item::retry_other))
        retry["on"] = "other";
    if (has(item::retry_same))
        retry["on"] = "same";
    if (has(item::backoff))
        retry.update({{"backoff", "exponential"}, {"longest_ms", 4'000}, {"jitter_percent", 20}});
    if (has(item::final_errors))
        retry["final_errors"] = {"bad_input"};
    if (!retry.empty())
        out["retry"] = retry;
    out["max_deaths"] = has(item::at_most_once) ? 1 : 50;
}

void writer::limits()
{
    if (has(item::timeout))
        out["timeout_ms"] = from(1'200, 2'500);
    out["stop_grace_ms"] = from(1'000, 3'000);
    json limits = json::object();
    if (has(item::start_skip) || has(item::start_fail)) {
        limits["start_within_ms"] = has(item::total) ? from(1'500, 2'800) : from(2'000, 6'000);
        limits["late_start"] = has(item::start_fail) ? "fail" : "skip";
    }
    if (has(item::total))
        limits["total_ms"] = from(3'000, 8'000);
    if (!limits.empty())
        out["limits"] = limits;
}

void writer::routing()
{
    constexpr std::array plain{
        std::pair{item::route_random, "random"},         std::pair{item::failover, "failover"},
        std::pair{item::route_first, "first"},           std::pair{item::route_last, "last"},
        std::pair{item::hash, "consistent_hash"},        std::pair{item::least_loaded, "least_loaded"},
        std::pair{item::skip_busy, "skip_busy"},         std::pair{item::instance, "instance"},
        std::pair{item::broadcast_clients, "broadcast"}, std::pair{item::broadcast_number, "broadcast"}};
    json route = json::object();
    for (auto const& [which, name] : plain)
        if (has(which))
            out["routing"] = name;
    if (has(item::hash))
        route["key"] = "/k";
    if (has(item::instance))
        route["instance"] = task.project == limited_project ? (has(item::tag) ? "c2" : "c3")
                            : has(item::tag)                ? "c0"
                                                            : "c1";
    if (has(item::broadcast_number))
        route["shards"] = from(2, 5);
    if (has(item::ends_any))
        route["ends"] = "any";
    if (has(item::tag))
        route["tag"] = "gpu";
    if (!route.empty())
        out["route"] = route;
}

} // namespace

json definition_of(drawn_task const& task, std::vector<drawn_task> const& all, utc_time begin, std::mt19937_64& chance)
{
    writer write{task, chance, begin};
    write.out = {{"name", task.name}, {"project", task.project}, {"service", task.service}, {"handler", "work"}};
    write.out["payload"] = {{"k", "a"}};
    if (task.has(item::large))
        write.out["payload"]["text"] = std::string(20'000, 'x');
    write.schedule(all);
    write.misfire();
    write.concurrency();
    write.attempts();
    write.limits();
    write.routing();
    if (task.has(item::task_rate))
        write.out["rate"] = {{"limit", 2}, {"per_ms", 2'000}, {"burst", write.from(1, 3)}};
    if (task.has(item::priority))
        write.out["priority"] = write.from(-2, 3);
    if (task.has(item::context))
        write.out["context"] = {"previous", "last_success"};
    return write.out;
}

json other_schedule(json schedule, std::mt19937_64& chance)
{
    auto const more = static_cast<int>(1 + chance() % 3);
    if (schedule.at("kind") == "cron")
        schedule["cron"] = "*/" + std::to_string(3 + more) + " * * * * *";
    else if (schedule.contains("every_ms"))
        schedule["every_ms"] = schedule.at("every_ms").get<int>() + more * 700;
    return schedule;
}

} // namespace pairs_sim
