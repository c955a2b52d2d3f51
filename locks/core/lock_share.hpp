#pragma once
// Who may hold a lock beside whom. Pure.

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace baton::lock {

// What a holder takes of a name: so much of so much. A plain lock is all that there is of it; a permit of a semaphore
// one of many; a reader takes one of more than will ever come, and a writer them all.
struct lock_share {
    std::int64_t weight = 1;
    std::int64_t capacity = 1;
};

inline constexpr std::int64_t most_permits = 10'000;
inline constexpr std::int64_t most_readers = 1'000'000;
inline constexpr lock_share reader_share{1, most_readers};
inline constexpr lock_share writer_share{most_readers, most_readers};
constexpr bool is_semaphore(lock_share const& of) // because of many who take a part
{
    return of.capacity < most_readers;
}

// The kinds of lock that several may hold, and whose names theirs are: readers and writers meet under the same.
struct shared_kind_spec {
    char const* kind;
    char const* set;
};
inline constexpr shared_kind_spec shared_kind_specs[]{
    {"semaphore", "semaphore"}, {"read", "read_write"}, {"write", "read_write"}};

enum class admission { granted, refused, mismatched }; // disagreed: on how much there is

// Of one who asks while these hold it. `room_kept`: somebody who takes all waits for them to go, so that nobody comes
// beside them.
admission admit(lock_share const& asked, std::vector<lock_share> const& held, bool room_kept);

// Whether one who is refused and waits has room kept for it: who takes all, since those who take less could go on for
// ever coming before the last has left. Not from another who takes all: when that one leaves, the turn is anybody's, so
// that writers do not keep readers out for ever either.
bool reserves_room(lock_share const& asked, std::vector<lock_share> const& held);

// What one is told who asks for a permit of another number than those who hold them: lock_errc::misuse.
std::system_error capacity_mismatch(std::string const& name, std::int64_t asked, std::int64_t found);

} // namespace baton::lock
