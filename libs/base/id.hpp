#pragma once
// Typed ids, their generator, and the identity of a process.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace baton {

// A 64-bit id with the kind of its object in the type, so that a task id cannot be passed as an execution id. 0 means
// none.
template <class Tag>
class id {
public:
    constexpr id() = default;
    constexpr explicit id(std::int64_t value) : value_(value) {}
    constexpr std::int64_t value() const { return value_; }
    constexpr explicit operator bool() const { return value_ != 0; }
    friend constexpr auto operator<=>(id const&, id const&) = default;

private:
    std::int64_t value_ = 0;
};

using task_id = id<struct task_tag>;
using execution_id = id<struct execution_tag>;
using signal_id = id<struct signal_tag>;
using calendar_id = id<struct calendar_tag>;

// Decimal text. Ids are strings in REST, because JavaScript rounds numbers over 2^53.
template <class Tag>
std::string to_string(id<Tag> const& value)
{
    return std::to_string(value.value());
}

// Generates ids that increase with time and differ between processes (the layout of Twitter's Snowflake): 41 bits of
// milliseconds since 2024-01-01 UTC, 12 bits drawn when the process starts, 10 bits of sequence. Ids of one process
// never repeat, even if the clock steps back. Two processes collide only if they drew the same 12 bits and use the
// same millisecond and sequence; the primary key then rejects the second row, and its transaction is repeated with new
// ids. Not thread-safe.
class id_generator {
public:
    id_generator(time_source const& time, random_source& random);

    template <class Id>
    Id make()
    {
        return Id{next()};
    }

private:
    std::int64_t next();

    time_source const& time_;
    std::int64_t origin_;
    std::int64_t last_ = 0; // milliseconds << 10 | sequence
};

// The millisecond in which an id_generator made this id.
utc_time made_at(std::int64_t id);
template <class Tag>
utc_time made_at(id<Tag> const& value)
{
    return made_at(value.value());
}

// Returns "host:pid:boot:random", which identifies one run of a process: two processes, or the same one before and
// after a restart, never have the same identity.
std::string make_incarnation(std::string const& host, int pid, std::string const& boot, random_source& random);

} // namespace baton

template <class Tag>
struct std::hash<baton::id<Tag>> {
    std::size_t operator()(baton::id<Tag> const& key) const noexcept { return std::hash<std::int64_t>{}(key.value()); }
};
