#pragma once

#include "trigger/master/attempts.hpp"
#include "trigger/master/completion_queue.hpp"
#include "trigger/master/refused_items.hpp"
#include "trigger/master/term_scope.hpp"

#include <string>
#include <vector>

namespace baton::trigger {

// Makes the shards of the broadcasts that are due, each broadcast in one transaction. One whose shards the database
// refuses, while it takes those of another, ends as failed. Part of a term.
class broadcast_splitter {
public:
    broadcast_splitter(term_scope const& scope, completion_queue& queue, attempts& next, id_generator& ids)
        : scope_(scope), queue_(queue), next_(next), ids_(ids)
    {}

    awaitable<void> run();

private:
    awaitable<void> round();
    duration pause() const;
    awaitable<bool> try_split(execution_id id);
    struct shard_set {
        std::vector<storage::new_execution> rows;
        std::vector<open_execution> open;
    };
    awaitable<bool> split(execution_id id);
    shard_set shards_of(open_execution const& broadcast);
    std::vector<std::string> instances_for(protocol::task_definition const& task) const;
    bool is_met(unsplit_broadcasts::need const& needed);
    void refuse(execution_id id, std::string const& why);

    term_scope scope_;
    completion_queue& queue_;
    attempts& next_;
    id_generator& ids_;
    refused_items<execution_id> refused_;
};

} // namespace baton::trigger
