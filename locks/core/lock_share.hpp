#pragma once
// Decides which holders may have a lock at the same time. Pure.

#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace baton::lock {

// The part of a lock that one holder takes: `weight` of `capacity`. An exclusive lock takes 1 of 1, a permit 1 of the
// number of permits, a reader 1 of `most_readers`, and a writer all of `most_readers`.
struct lock_share {
    std::int64_t weight = 1;
    std::int64_t capacity = 1;
};

inline constexpr std::int64_t most_permits = 10'000;
inline constexpr std::int64_t most_readers = 1'000'000; // more than will ever read at once
inline constexpr lock_share reader_share{1, most_readers};
inline constexpr lock_share writer_share{most_readers, most_readers};
// True for exclusive locks and permits, whose capacity holders can use up.
constexpr bool is_semaphore(lock_share const& share)
{
    return share.capacity < most_readers;
}

// The kinds of lock that several may hold. `set` names the kinds whose holders share a name: readers and writers do.
struct shared_kind_spec {
    char const* kind;
    char const* set;
};
inline constexpr shared_kind_spec shared_kind_specs[]{
    {"semaphore", "semaphore"}, {"read", "read_write"}, {"write", "read_write"}};

enum class admission { granted, refused, mismatched }; // mismatched: other holders use another capacity

// Decides on a request beside the present holders. `room_reserved`: an exclusive request waits for them, so a smaller
// one is refused.
admission admit(lock_share const& asked, std::vector<lock_share> const& held, bool room_reserved);

// True if a refused request reserves capacity: a writer does, so that readers cannot starve it. It does not while
// another writer holds the lock, so that writers cannot starve readers either.
bool reserves_room(lock_share const& asked, std::vector<lock_share> const& held);

// The error for acquiring a permit with a permit count that differs from the holders': lock_errc::misuse.
std::system_error capacity_mismatch(std::string const& name, std::int64_t asked, std::int64_t found);

} // namespace baton::lock
