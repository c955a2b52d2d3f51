#pragma once

#include "libs/base/task_group.hpp"
#include "trigger/master/node_calls.hpp"
#include "trigger/master/task_book.hpp"
#include "trigger/master/term_scope.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace baton::trigger {

// The handlers that did not return after they were asked to stop, and whose executions have ended without them. While
// one may still run, its concurrency limit counts it, and no other execution is to run in its place. It is forgotten
// when its client no longer has it or is gone, or when a person releases it. Part of a term.
class unresponsive_handlers {
public:
    struct listeners {
        // A row of a former term: it counts from now on.
        std::function<void(storage::unresponsive_row const& row, known_task const& task)> found;
        std::function<void(execution_id)> forgotten;
    };
    unresponsive_handlers(term_scope const& scope, node_calls& calls, task_book& book, listeners notify);

    // Its row is about to be written: from here on the end of its execution does not free its place.
    void expect(storage::unresponsive_attempt const& one);
    // The ledger has its row.
    void add(storage::unresponsive_attempt const& one);
    // The same for one whose execution has ended by an earlier attempt: its row is written here.
    void outlives(storage::unresponsive_attempt one);
    // It has no row after all, because its execution ended otherwise or has gone on.
    void drop(execution_id id);
    bool has(execution_id id) const { return handlers_.contains(id); }

    // Reads those of former terms. Returns when they are known.
    awaitable<void> load();

    // Asks the clients whether they still run them.
    awaitable<void> run();

private:
    struct handler {
        int attempt = 1;
        std::string client;
        instant since{};
        bool written = true;
    };
    std::vector<execution_id> written() const;
    awaitable<void> look();
    awaitable<void> write_rows();
    awaitable<void> take_released();
    void ask_clients();
    void spawn(std::string const& client, std::vector<execution_id> ids);
    awaitable<void> ask(std::string client, std::vector<execution_id> ids);
    awaitable<char const*> look_for_ends(std::string const& client, std::vector<execution_id>& ids);
    awaitable<void> forget(std::vector<execution_id> ids, std::string why);

    term_scope scope_;
    node_calls& calls_;
    task_book& book_;
    listeners notify_;
    std::map<execution_id, handler> handlers_;
    std::vector<storage::unresponsive_attempt> to_write_;
    std::set<std::string> asking_; // clients; one that does not answer delays no other
    task_group questions_;
};

} // namespace baton::trigger
