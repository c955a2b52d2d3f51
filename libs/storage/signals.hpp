#pragma once

#include "libs/base/id.hpp"
#include "libs/base/time.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/storage/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct signal_record {
    signal_id id;
    std::optional<protocol::signal_kind> kind; // none: `text` is of another version of the program
    std::string text;
    std::int64_t subject = 0;
    utc_time created_at; // by the database's clock
};

// Changes that the master must act on. `tasks` and `executions` insert them, by the database's clock. A scan of all of
// them would meet each that was deleted since the oldest read view began, because MySQL purges none of those.
class signals {
public:
    explicit signals(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // Those of the last `back`, and those since `floor` if that is earlier, in order of time.
    awaitable<std::vector<signal_record>> pending(duration back, utc_time floor, int limit);
    // Those that are older than `back`.
    awaitable<std::vector<signal_record>> older(duration back, int limit);
    awaitable<void> remove(std::vector<signal_id> const& ids);

private:
    database& shared_;
    protocol::namespace_id name_space_; // whose signals it finds
};

} // namespace baton::storage
