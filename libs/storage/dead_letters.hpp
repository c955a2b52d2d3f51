#pragma once
// Dead letters: executions that ended as failed or timed out after their last attempt. They are kept until a person has
// them run again or dismisses them, or until their execution is forgotten (retention).

#include "libs/base/id.hpp"
#include "libs/protocol/outcome.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/bounded_count.hpp"
#include "libs/storage/database.hpp"
#include "libs/storage/executions.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

struct dead_letter {
    execution_record execution;
    utc_time died_at;
    protocol::resolution resolution = protocol::resolution::open;
    std::optional<utc_time> resolved_at;
    std::optional<execution_id> rerun; // retried: the execution that runs it again
};

struct dead_letter_filter {
    std::optional<task_id> task{};
    std::optional<std::string> project{};
    std::optional<std::string> service{};    // of the task as it stands; none of a deleted task
    std::optional<std::string> error{};      // a part of the error of the first or the last attempt, in any case
    std::optional<execution_id> broadcast{}; // of its shards
    protocol::resolution resolution = protocol::resolution::open;
    // The latest first, by (died_at, id). Paging continues strictly behind these.
    std::optional<utc_time> after_at{};
    execution_id after_id{};
    int limit = 50;
    int look = 20'000; // letters examined at most for one page, by service or error
};

struct dead_letter_page {
    std::vector<dead_letter> items;
    // Set if the search ended early: the last letter that was examined, by died_at. The next page begins behind it.
    std::optional<execution_place> looked_to;
};

// Dead letters to resolve, without what a list shows of them.
struct found_letters {
    std::vector<execution_id> executions;
    // Where the search goes on; nothing if no others are to be found.
    std::optional<execution_place> next;
};

enum class resolve_outcome {
    done,
    not_dead,     // no dead letter has this id
    resolved,     // it was retried or dismissed before
    task_deleted, // so it cannot run again
    still_runs,   // its handler has not returned (`unresponsive`), and must not run twice at a time
};

struct resolved_letter {
    execution_id execution;
    resolve_outcome outcome = resolve_outcome::done;
    std::optional<execution_id> rerun; // also of a letter that was retried before
};

struct resolved_letters {
    std::vector<resolved_letter> letters; // in the order of the request
    std::optional<signal_id> signal;      // for the master, if there is something to run
};

inline constexpr std::size_t most_letters_at_once = 500;

class dead_letters {
public:
    explicit dead_letters(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    awaitable<dead_letter_page> list(dead_letter_filter filter);

    // The same letters, at most `limit` of them.
    awaitable<found_letters> find(dead_letter_filter filter);
    // How many there are behind `after`: counted up to 100,000; by service or error, among the next `look` letters.
    awaitable<bounded_count> count(dead_letter_filter filter);

    // Inserts for each open dead letter an execution of the task's present version, which is due at once: with the
    // scheduled_at of the dead letter, its place among shards, and its payload, or with `payload` (JSON text). One
    // transaction; a letter is retried at most once, so a repeated call changes nothing. At most most_letters_at_once.
    awaitable<resolved_letters> retry(std::vector<execution_id> which, std::optional<std::string> payload,
                                      id_generator& ids);

    // In one transaction. At most most_letters_at_once.
    awaitable<resolved_letters> dismiss(std::vector<execution_id> which);

private:
    database& shared_;
    protocol::namespace_id name_space_; // whose dead letters it finds
};

} // namespace baton::storage
