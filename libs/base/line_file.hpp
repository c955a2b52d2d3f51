#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

// CLOCK_BOOTTIME in nanoseconds, asked of the kernel itself: what fakes the clocks of the C library, as tests do, does
// not reach it. For records only; decisions take their time from a time_source.
std::int64_t kernel_nanos();

// A file that only grows, a line a write: lines of several processes never mix, and what is written outlives SIGKILL.
class line_file {
public:
    explicit line_file(std::string const& path); // throws std::runtime_error
    ~line_file();
    line_file(line_file const&) = delete;
    line_file& operator=(line_file const&) = delete;

    // False when the line is not there in full, as on a full disk.
    bool append(std::string_view line) const;

private:
    int file_;
};

} // namespace baton
