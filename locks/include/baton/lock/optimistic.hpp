#pragma once
// Optimistic locking: no caller waits for another. An update that finds its row changed is rolled back and tried again.
// The statements, the SOCI session and the table are the caller's.
//
//     auto const result = update_optimistically(session, [](soci::session& sql) {
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
// The WHERE clause may compare
// - a version column that each change raises: it finds every change;
// - the time of the last change: it misses two changes within the resolution of that column;
// - the value that was read (left_over = :seen): it misses a change back to the same value, which is harmless if only
//   the value matters.

#include <baton/lock/types.hpp>
#include <chrono>
#include <functional>

namespace soci {
class session;
}

namespace baton::lock {

enum class compared {
    changed, // the update matched its row: commit
    raced,   // the update matched no row, because another change came first: roll back and try again
    refused, // the values read forbid the update: roll back and stop
};

enum class optimistic_result { changed, refused, gave_up };

struct optimistic_options {
    int tries = 20;
    // The pause before the second try. It doubles before each further try; the caller sleeps for a random part of it.
    std::chrono::milliseconds first_pause{1};
    std::chrono::milliseconds longest_pause{64};
};

// Runs `attempt` in a transaction, again after each lost race; a deadlock and a lock timeout of the database count as
// lost races. An exception thrown by `attempt` rolls back and reaches the caller. A failure of the database is thrown
// as std::system_error (lock_errc::unavailable); the transaction may or may not have been committed. Blocks the calling
// thread.
optimistic_result update_optimistically(soci::session& session, std::function<compared(soci::session&)> const& attempt,
                                        optimistic_options options = {});

} // namespace baton::lock
