#pragma once
// Hashed values of cron expressions: `H` stands for a value that follows from a task's seed, so that many tasks with
// the same expression do not fire at the same moment.

#include <cstdint>
#include <string_view>

namespace baton::schedule {

// The seed of a new task. Stored with the task, so a task that is renamed keeps its times, and every cluster computes
// the same ones.
std::uint32_t hash_seed_of(std::string_view project, std::string_view name);

// A number below `count` for a field of an expression. The fields of one seed are independent of each other.
unsigned hashed(std::uint32_t seed, unsigned field, unsigned count);

// True if the expression has an H, in either dialect.
bool has_hash(std::string_view expression);

} // namespace baton::schedule
