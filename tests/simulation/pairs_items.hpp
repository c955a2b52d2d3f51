#pragma once
// What pairs_sim combines: features of a task, actions of people, and events that happen to the cluster. Only names, so
// that the judges and the table share no code with what they judge.

#include <cstdint>
#include <string>
#include <vector>

namespace pairs_sim {

enum class item : std::uint8_t {
    // Features. Those of a group exclude one another.
    cron,
    rate,
    delay,
    once,
    after,
    api,
    misfire_once,
    misfire_all,
    misfire_within,
    misfire_skip,
    full_wait,
    full_bounded,
    full_skip,
    full_replace,
    keyed,
    task_rate,
    service_slots,
    service_rate,
    project_slots,
    priority,
    retries,
    retry_other,
    retry_same,
    backoff,
    final_errors,
    fails,
    timeout,
    deaf,
    start_skip,
    start_fail,
    total,
    jitter,
    maximum,
    validity,
    calendar,
    route_random,
    failover,
    route_first,
    route_last,
    hash,
    least_loaded,
    skip_busy,
    instance,
    broadcast_clients,
    broadcast_number,
    ends_any,
    tag,
    context,
    large,
    long_runs,
    at_most_once,
    // Actions.
    edit_text,
    edit_schedule,
    edit_limit,
    disable,
    enable,
    remove,
    move_service,
    change_scope,
    rerun,
    release,
    cancel,
    run,
    force,
    skip_next,
    undo_skip,
    pause_hold,
    pause_skip,
    resume,
    change_calendar,
    // Events.
    kill_master,
    stop_master,
    freeze_master,
    kill_client,
    drain_client,
    drain_by_web,
    freeze_client,
    hold_client,
    database_stall,
    database_down,
    cut_node,
    lose_answers,
    lose_messages,
    clock_forward,
    clock_back,
    freeze_web,
    retention,
    zone_change,
    oversize,
};
inline constexpr std::size_t item_count = static_cast<std::size_t>(item::oversize) + 1;

enum class item_kind { feature, action, event };

char const* name_of(item which);
item_kind kind_of(item which);
int group_of(item feature);                       // features of one group exclude one another
std::vector<item> const& all_of(item_kind which); // in order

// True if a task can have both features, or the action can be done to a task with the feature.
bool fit(item a, item b);

// Each pair of a feature or action with a feature, action or event that fit, each once.
struct item_pair {
    item a, b;
    friend auto operator<=>(item_pair const&, item_pair const&) = default;
};
std::vector<item_pair> const& all_pairs();

} // namespace pairs_sim
