#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/open_set.hpp"
#include "trigger/master/unsplit_broadcasts.hpp"

#include <deque>
#include <set>
#include <vector>

namespace baton::trigger {

// The work that follows ends and due broadcasts, in three lines, each with a part of the term that works it off:
// broadcasts to split (broadcast_splitter), broadcasts of which a shard has ended (broadcast_closer), and ended
// executions of fixed-delay tasks (completions). Every part of a term may add to it. Part of a term.
class completion_queue {
public:
    completion_queue(open_set& open, asio::any_io_executor loop)
        : open_(open), unsplit_bell_(loop), parents_bell_(loop), delayed_bell_(loop)
    {}

    // The execution has ended in the ledger.
    void ended(execution_id id);
    // The same, but its handler may still run: a fixed delay waits for that (completions finds it when it is over).
    void ended_without_handler(execution_id id);
    // These broadcasts are due: split them into shards.
    void broadcast(std::vector<execution_id> ids);

    // For the splitter.
    unsplit_broadcasts& unsplit() { return unsplit_; }
    awaitable<void> wait_for_broadcasts(time_source& time, instant at);

    // For the closer. Adds the broadcasts with shards, of which an end may have been missed.
    void add_parents();
    // The first of the broadcasts of which a shard has ended; they wait until were_looked_at() names them.
    std::vector<execution_id> parents(std::size_t most) const;
    void were_looked_at(std::vector<execution_id> const& broadcasts);
    awaitable<void> wait_for_shards(time_source& time, instant at);

    // For `completions`.
    // The first of the ended executions of fixed-delay tasks, which wait for their ends; at most `most`.
    std::vector<execution_id> delayed(std::size_t most) const;
    void were_resumed(std::size_t count);
    // A task waits for the end of this execution, and an edit has locked it: add_later() makes it one of `delayed`.
    void resume_later(execution_id id) { later_.insert(id); }
    void add_later();
    awaitable<void> wait_for_delayed(time_source& time, instant at);

private:
    void end(execution_id id, bool resumes);

    open_set& open_;
    unsplit_broadcasts unsplit_;
    std::set<execution_id> parents_; // broadcasts of which a shard has ended
    std::deque<execution_id> delayed_;
    std::set<execution_id> later_;
    waker unsplit_bell_;
    waker parents_bell_;
    waker delayed_bell_;
};

} // namespace baton::trigger
