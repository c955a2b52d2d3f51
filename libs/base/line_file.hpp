#pragma once
// Append-only records that tests read afterwards (the history of terms, the recorder's log).

#include <cstdint>
#include <string>
#include <string_view>

namespace baton {

// CLOCK_BOOTTIME in nanoseconds, read by a system call, so that a test which replaces the C library's clock functions
// does not change it. Use it for records only; decisions take their time from a time_source.
std::int64_t kernel_nanos();

// Appends lines to a file with one write() each: lines of several processes do not mix, and a written line survives
// SIGKILL. Not thread-safe.
class line_file {
public:
    explicit line_file(std::string const& path); // creates the file; throws std::runtime_error if it cannot be opened
    ~line_file();
    line_file(line_file const&) = delete;
    line_file& operator=(line_file const&) = delete;

    // `line` includes its line break. False if the line was not written completely, for example on a full disk. The
    // next append then starts a new line, so that the fragment spoils no other line.
    bool append(std::string_view line);

private:
    int file_;
    bool torn_ = false; // the last line has no line break
};

} // namespace baton
