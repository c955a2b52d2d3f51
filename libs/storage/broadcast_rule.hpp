#pragma once
// Whether a broadcast meets its rule, counting the shards that were run again. Pure; for .cpp files of this folder.

#include "libs/base/id.hpp"
#include "libs/protocol/route.hpp"

#include <optional>
#include <vector>

namespace baton::storage {

// An execution of one firing: the broadcast, one of its shards, or one that runs another one again.
struct firing_execution {
    execution_id id;
    std::optional<execution_id> parent;   // of a shard
    std::optional<execution_id> rerun_of; // of one that runs another one again
    int shard_total = 1;
    bool succeeded = false;
};

// The broadcast of this shard, or of the shard that this execution runs again. None if its rows are gone.
std::optional<execution_id> broadcast_of(std::vector<firing_execution> const& firing, execution_id which);

// True if all shards have succeeded (all), or one has (any), each by itself or by an execution that ran it again.
bool meets_rule(std::vector<firing_execution> const& firing, execution_id broadcast, protocol::broadcast_end rule);

} // namespace baton::storage
