#pragma once

#include "agent/settings.hpp"

#include <map>
#include <string>
#include <sys/types.h>
#include <utility>

namespace baton::agent {

// A file descriptor that closes itself.
class descriptor {
public:
    descriptor() = default;
    explicit descriptor(int number) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept
    {
        std::swap(number_, other.number_);
        return *this;
    }
    ~descriptor() { close(); }

    void close();
    int release() { return std::exchange(number_, -1); }
    int number() const { return number_; }
    bool open() const { return number_ >= 0; }

private:
    int number_ = -1;
};

// A running program: its process id, which is also that of its group, and our ends of its pipes and of those of its
// supervisor (supervisor.hpp).
struct child {
    pid_t pid = -1;
    pid_t supervisor = -1; // to be reaped
    descriptor orders;
    descriptor news;
    descriptor in;
    descriptor out;
    descriptor err;
};

// Starts a program; `env` overrides its environment. Throws std::runtime_error with the reason if it cannot be started:
// no such program, user or folder, or no permission.
child launch(command const& what, std::map<std::string, std::string> const& env);

} // namespace baton::agent
