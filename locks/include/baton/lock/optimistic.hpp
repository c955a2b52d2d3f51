#pragma once
// Optimistic locking: nobody is kept out, and whoever was not the quickest reads anew and tries again. For statements
// of your own, on a SOCI session of your own, on any table.
//
//     auto const how = update_optimistically(session, [](soci::session& sql) {
//         int left = 0, version = 0;
//         sql << "SELECT left_over, version FROM stock WHERE id = 42", into(left), into(version);
//         if (left == 0)
//             return compared::refused;
//         statement update = (sql.prepare << "UPDATE stock SET left_over = :n, version = version + 1 "
//                                            "WHERE id = 42 AND version = :seen", use(left - 1), use(version));
//         update.execute(true);
//         return update.get_affected_rows() == 1 ? compared::changed : compared::raced;
//     });
//
// What the WHERE compares may be
// - a version column that each change raises: nothing is ever mistaken;
// - a column of the time of the last change: two changes within its resolution look like none;
// - the value that was read (left_over = :seen): a change there and back in between goes unnoticed, which is as well
//   where nothing but the value matters.

#include <baton/lock/types.hpp>
#include <chrono>
#include <functional>

namespace soci {
class session;
}

namespace baton::lock {

enum class compared {
    changed, // the update matched its row: committed
    raced,   // it matched none, since another was quicker: rolled back, and tried again
    refused, // what was read says no: rolled back, and left
};

enum class optimistic_result { changed, refused, gave_up };

struct optimistic_options {
    int tries = 20;
    // Before the second try; twice as long before each further one, and of each a random part.
    std::chrono::milliseconds first_pause{1};
    std::chrono::milliseconds longest_pause{64};
};

// Each try is a transaction of its own, so that it reads what has been committed. A deadlock or a lock time-out of the
// database is a race lost. What `attempt` throws reaches the caller after a rollback; a failure of the database does as
// std::system_error (lock_errc::unavailable), and then nobody knows whether it was committed. Blocks the calling
// thread.
optimistic_result update_optimistically(soci::session& session, std::function<compared(soci::session&)> const& attempt,
                                        optimistic_options options = {});

} // namespace baton::lock
