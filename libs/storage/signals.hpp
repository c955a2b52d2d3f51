#pragma once

#include "libs/base/id.hpp"
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
};

// Changes that the master must act on. `tasks` and `executions` insert them.
class signals {
public:
    explicit signals(database& shared) : shared_(shared) {}

    awaitable<std::vector<signal_record>> pending(int limit);
    awaitable<void> remove(std::vector<signal_id> const& ids);

private:
    database& shared_;
};

} // namespace baton::storage
