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

    // With its end. False when the line is not there in full, as on a full disk; what is there of it then remains as a
    // line of its own, so that the next one is whole.
    bool append(std::string_view line);

private:
    int file_;
    bool torn_ = false; // the last line has no end
};

} // namespace baton
