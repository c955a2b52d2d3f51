#pragma once
// Who may hold a lock beside whom. Pure.

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace baton::lock {

// What a holder takes of a name: so much of so much. A plain lock is all that there is of it; a permit of a semaphore
// one of many; a reader takes one of more than will ever come, and a writer them all.
struct share {
    std::int64_t weight = 1;
    std::int64_t capacity = 1;
};

inline constexpr std::int64_t most_permits = 10'000;
inline constexpr std::int64_t most_readers = 1'000'000;
inline constexpr share a_reader{1, most_readers};
inline constexpr share a_writer{most_readers, most_readers};
constexpr bool runs_out(share const& of) // because of many who take a part
{
    return of.capacity < most_readers;
}

// The kinds of lock that several may hold, and whose names theirs are: readers and writers meet under the same.
struct shared_trade {
    char const* kind;
    char const* set;
};
inline constexpr shared_trade shared_trades[]{
    {"semaphore", "semaphore"}, {"read", "read_write"}, {"write", "read_write"}};

enum class admission { granted, refused, disagreed }; // disagreed: on how much there is

// Of one who asks while these hold it. `room_kept`: somebody who takes all waits for them to go, so that nobody comes
// beside them.
admission admit(share const& asked, std::vector<share> const& held, bool room_kept);

// Whether one who is refused and waits has room kept for it: who takes all, since those who take less could go on for
// ever coming before the last has left. Not from another who takes all: when that one leaves, the turn is anybody's, so
// that writers do not keep readers out for ever either.
bool is_kept_room(share const& asked, std::vector<share> const& held);

// What one is told who asks for a permit of another number than those who hold them: lock_errc::misuse.
std::system_error disagreement(std::string const& name, std::int64_t asked, std::int64_t found);

} // namespace baton::lock
