#include "libs/base/line_file.hpp"

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

namespace baton {

std::int64_t kernel_nanos()
{
    timespec at{};
    syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &at);
    return std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec;
}

line_file::line_file(std::string const& path)
    : file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640))
{
    if (file_ < 0)
        throw std::runtime_error("cannot write to " + path);
}

line_file::~line_file()
{
    close(file_);
}

bool line_file::append(std::string_view line)
{
    std::string text(torn_ ? "\n" : "");
    text += line;
    ssize_t written = -1;
    do
        written = write(file_, text.data(), text.size());
    while (written < 0 && errno == EINTR);
    bool const whole = written == static_cast<ssize_t>(text.size());
    if (written > 0)
        torn_ = !whole && text[static_cast<std::size_t>(written) - 1] != '\n';
    return whole;
}

} // namespace baton
