#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/term_scope.hpp"

#include <vector>

namespace baton::trigger {

// Makes the shards of the broadcasts that are due. Part of a term.
class broadcast_splitter {
public:
    broadcast_splitter(term_scope const& scope, completion_queue& queue, attempts& next, id_generator& ids)
        : scope_(scope), queue_(queue), next_(next), ids_(ids)
    {}

    // Splits a bounded number. Returns whether it split any. Throws unavailable.
    awaitable<bool> round();

private:
    struct shard_set {
        std::vector<storage::new_execution> rows;
        std::vector<open_execution> open;
    };
    awaitable<bool> split(execution_id id);
    shard_set shards_of(open_execution const& broadcast);
    std::vector<std::string> instances_for(protocol::task_definition const& task) const;
    bool is_met(unsplit_broadcasts::need const& needed);

    term_scope scope_;
    completion_queue& queue_;
    attempts& next_;
    id_generator& ids_;
};

} // namespace baton::trigger
