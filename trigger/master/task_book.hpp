#pragma once

#include "libs/base/id.hpp"
#include "libs/base/loop.hpp"
#include "libs/protocol/task.hpp"
#include "libs/schedule/schedule.hpp"
#include "libs/storage/ledger_rows.hpp"

#include <boost/multi_index/hashed_index.hpp>
#include <boost/multi_index/member.hpp>
#include <boost/multi_index/sequenced_index.hpp>
#include <boost/multi_index_container.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::trigger {

// One version of a task, parsed once and shared by its executions.
struct known_task {
    task_id id;
    int version = 0;
    protocol::task_definition definition;
    std::optional<schedule::timetable> timetable; // absent if only executions of the task were read
    std::uint64_t zones = 0;                      // schedule::zones_generation() when the timetable was made
};

// The parsed tasks by (id, version): at most `limit`, those that were asked for last. A miss drops one.
class task_book {
public:
    explicit task_book(std::size_t limit = 100'000) : limit_(limit) {}

    // `created_at` is absent if the caller needs no timetable. Throws invalid_input if this program cannot read the
    // stored definition.
    std::shared_ptr<known_task const> get(task_id id, int version, std::string const& definition,
                                          std::optional<utc_time> created_at);

    // Parses those of a page that are new, and lets other work of the loop run after every few: a page of new tasks
    // takes milliseconds, and what is due now must not wait for all of it. Leaves out what get() would throw for. The
    // book and `due` must outlive it.
    awaitable<void> learn(std::vector<storage::due_task> const& due);

    std::size_t size() const { return tasks_.size(); }

private:
    using key = std::pair<std::int64_t, int>;
    struct entry {
        key of;
        std::shared_ptr<known_task const> task;
    };
    using by_use = boost::multi_index::sequenced<>; // the last one first
    using by_key = boost::multi_index::hashed_unique<boost::multi_index::member<entry, key, &entry::of>>;

    std::size_t limit_;
    boost::multi_index_container<entry, boost::multi_index::indexed_by<by_use, by_key>> tasks_;
};

} // namespace baton::trigger
