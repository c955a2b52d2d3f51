#include "libs/protocol/strict.hpp"
#include "libs/protocol/task.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

bool is_one_of(std::string const& key, std::initializer_list<std::string_view> keys)
{
    return std::ranges::find(keys, key) != keys.end();
}

// `whole`: the member whose presence makes a patch replace a part as a whole; empty if the part is merged.
[[noreturn]] void refuse_null(std::string const& member, std::string const& whole)
{
    auto const remedy = whole.empty()
                            ? "leave it out to keep it as it is, or give it a value"
                            : "leave it out, since a patch with " + whole + " keeps nothing of the one before";
    throw invalid_input(member, member + " cannot be removed; " + remedy);
}

// A null that stands for nothing would be ignored by the merge: a misspelt member, or one that cannot be removed.
void check_nulls(nlohmann::json const& patch)
{
    auto const check = [](nlohmann::json const& part, std::string const& path, std::string const& whole,
                          auto const& removable) {
        for (auto const& [key, value] : part.items())
            if (value.is_null() && !removable(key))
                refuse_null(path + key, whole);
    };
    check(patch, "", "", [](std::string const& key) {
        return is_one_of(key, {"project",    "description",   "owner",          "labels",   "payload",
                               "misfire",    "concurrency",   "rate",           "priority", "routing",
                               "route",      "max_attempts",  "retry_delay_ms", "retry",    "max_deaths",
                               "timeout_ms", "stop_grace_ms", "limits",         "context",  "enabled"});
    });
    for (auto const* policy : {"misfire", "concurrency", "rate", "retry", "route", "limits"})
        if (auto const given = patch.find(policy); given != patch.end() && given->is_object())
            check(*given, std::string(policy) + ".", policy == std::string_view("limits") ? "" : policy,
                  [](std::string const&) { return false; });
    auto const schedule = patch.find("schedule");
    if (schedule == patch.end() || !schedule->is_object())
        return;
    auto const kind = schedule->contains("kind") ? schedule->at("kind") : nlohmann::json("any");
    auto const kind_text = kind.is_string() ? kind.get<std::string>() : "";
    bool const has_span = !is_one_of(kind_text, {"once", "api", "after"});
    check(*schedule, "schedule.", schedule->contains("kind") ? "schedule.kind" : "", [&](std::string const& key) {
        return (has_span &&
                is_one_of(key, {"start_at", "end_at", "max_firings", "jitter_ms", "jitter_seed", "calendars"})) ||
               (is_one_of(key, {"zone", "days", "on", "roll", "dialect", "gap", "overlap", "hash_seed"}) &&
                kind == "any") ||
               (is_one_of(key, {"zone", "gap", "overlap"}) && is_one_of(kind_text, {"cron", "window", "calendar"})) ||
               (is_one_of(key, {"dialect", "hash_seed"}) && kind_text == "cron") ||
               (key == "days" && kind_text == "window") ||
               (is_one_of(key, {"days", "on", "roll"}) && kind_text == "calendar");
    });
}

} // namespace

task_definition patch_task(task_definition const& task, nlohmann::json const& patch)
{
    if (!patch.is_object())
        throw invalid_input("", R"(a patch must be a JSON object; write for example {"priority": 5})");
    check_nulls(patch);
    auto value = to_json(task);
    if (auto const schedule = patch.find("schedule");
        schedule != patch.end() && schedule->is_object() && schedule->contains("kind"))
        value["schedule"] = nlohmann::json::object(); // the old kind's fields do not fit another kind
    for (auto const* policy : {"misfire", "concurrency", "rate", "retry", "route"})
        if (auto const given = patch.find(policy); given != patch.end() && given->is_object())
            value[policy] = nlohmann::json::object(); // likewise
    if (patch.contains("routing") && patch.at("routing") != value.at("routing") && !patch.contains("route"))
        value["route"] = {{"tag", task.route.tag}};
    value.merge_patch(patch);
    return parse_task(value);
}

} // namespace baton::protocol
