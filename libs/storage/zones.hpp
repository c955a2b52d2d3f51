#pragma once
// Which zone databases the cluster has planned by, and the tasks whose next firing was computed by an earlier one.

#include "libs/base/id.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/ledger.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

// A zone database that a master has made the cluster's.
struct zone_version {
    int version = 0;
    std::string name;                                // of its release and content: "2025b-1a2b3c4d"
    std::map<std::string, std::string> fingerprints; // by zone; not in lists
    std::vector<std::string> changed;                // zones whose rules differ from those of the version before
    utc_time valid_from;
    utc_time recorded_at;
    std::string recorded_by; // name of the node
};

// A task whose next firing has to be computed anew.
struct zoned_task {
    task_id id;
    int version = 0;
    utc_time created_at;
    utc_time valid_from; // of this version of the task
    std::string definition;
    std::optional<utc_time> next_fire_at;
    std::optional<utc_time> cursor;    // the first firing that is not planned
    std::optional<utc_time> resume_at; // in place of both if the task has fired as often as it may
    std::optional<utc_time> recorded;  // its last firing before these that has a row
    std::map<std::string, int> zones;  // that it reads, and the version by which its next firing was computed
};

// What such a task becomes. One whose instants stay is only marked.
struct zone_move {
    task_id id;
    int version = 0; // as read
    bool changes = false;
    std::optional<utc_time> seen;        // next_fire_at as read
    std::optional<utc_time> seen_resume; // resume_at as read
    std::optional<utc_time> look;        // the new next_fire_at
    std::optional<utc_time> cursor;      // where it differs from `look`
    std::optional<utc_time> resume;
};

class zones {
public:
    zones(database& deciding, database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : deciding_(deciding), shared_(shared), name_space_(name_space)
    {}

    awaitable<std::optional<zone_version>> latest();
    // The latest first, without fingerprints.
    awaitable<std::vector<zone_version>> list(int limit);
    // Fenced. Throws already_exists if the version is taken.
    awaitable<void> record(fence mine, zone_version const& what);

    // Tasks whose firings were computed by a database that was not the cluster's (version 0), or that read a zone which
    // has changed in a later version (`changed`: zone and that version).
    awaitable<std::vector<zoned_task>> behind(std::map<std::string, int> const& changed, int limit);
    // Their number, but no more than `most`.
    awaitable<int> count_behind(std::map<std::string, int> const& changed, int most);
    // Fenced. Changes and marks the tasks that stand as they were read. Returns how many these were.
    awaitable<int> move(fence mine, std::vector<zone_move> const& tasks, int version);

private:
    database& deciding_;
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
