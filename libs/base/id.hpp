#pragma once

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace baton {

// A number that names one kind of thing, so that a task's id cannot be passed for an execution's.
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

// Decimal text: JSON readers in browsers round numbers over 2^53, so ids travel as strings in REST.
template <class Tag>
std::string to_string(id<Tag> const& which)
{
    return std::to_string(which.value());
}

// Makes ids that rise with time and differ between processes: 41 bits of milliseconds since 2024-01-01 UTC, 12 bits
// drawn anew whenever the process starts, 10 bits of sequence. Within one process they never repeat, even if the clock
// steps back. Two processes collide only if they drew the same 12 bits and act in the same millisecond; the primary
// key then refuses the second, whose transaction is tried again with fresh ids. Not thread-safe.
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

// "host:pid:boot:random", new at every start: two processes, or one before and after a restart, are never one owner.
std::string make_incarnation(std::string const& host, int pid, std::string const& boot, random_source& random);

} // namespace baton

template <class Tag>
struct std::hash<baton::id<Tag>> {
    std::size_t operator()(baton::id<Tag> const& which) const noexcept
    {
        return std::hash<std::int64_t>{}(which.value());
    }
};
