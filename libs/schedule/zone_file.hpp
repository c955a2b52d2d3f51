#pragma once
// The rules in a compiled zone file (RFC 8536), read by cctz. Any thread may call.

#include "libs/base/time.hpp"

#include <cctz/time_zone.h>
#include <chrono>
#include <optional>
#include <string_view>

namespace baton::schedule {

// A span of time, [begin, end), in which a zone keeps one offset from UTC.
struct offset_span {
    std::chrono::sys_seconds begin;
    std::chrono::sys_seconds end;
    std::chrono::seconds offset; // local time minus UTC
};

// So far away that additions to them do not overflow.
inline constexpr std::chrono::sys_seconds far_future{
    std::chrono::duration_cast<std::chrono::seconds>(std::chrono::years{20'000})};
inline constexpr std::chrono::sys_seconds far_past{-far_future.time_since_epoch()};

// False if the counts in a header name more data than the content has: a program that trusts them reserves gigabytes.
bool has_counted_data(std::string_view content);

class file_rules {
public:
    file_rules() = default; // UTC

    // Empty if the content is not that of a zone file, counts leap seconds (the folder "right"), or ends with a rule
    // for daylight time that cctz would not follow (one by which the last two changes of the table do not go). cctz
    // keeps what it has read, up to 50 KB, as long as the process lives; equal contents are read once.
    static std::optional<file_rules> read(std::string_view content);

    // The neighbouring spans have other offsets.
    offset_span at(std::chrono::sys_seconds when) const;

private:
    explicit file_rules(cctz::time_zone zone);

    cctz::time_zone zone_ = cctz::utc_time_zone();
    std::optional<std::chrono::sys_seconds>
        repeats_from_; // the last change that cctz knows, if a rule goes on behind it
};

} // namespace baton::schedule
