#pragma once

#include "agent/output.hpp"
#include "agent/settings.hpp"
#include "libs/base/time.hpp"

#include <optional>
#include <stop_token>
#include <string>

namespace baton::agent {

struct call {
    command what;
    std::map<std::string, std::string> env; // of this run; overrides all other variables
    std::string input;                      // for standard input
    duration kill_after = 10s;
    std::size_t output_limit = 64u << 10;
};

struct outcome {
    std::optional<int> exit;   // the status, if it ended by itself
    std::optional<int> signal; // the number, if a signal ended it
    std::string failure;       // why it could not be started; then neither is set
    bool stopped = false;      // it was told to stop
    output out;
    output err;

    bool succeeded() const { return exit == 0; }
    std::string reason() const; // "exit status 3", "killed by signal 9 (Killed)", "cannot be started: ..."
};

// Runs a program to its end and returns the outcome; blocks the calling thread. The program leads a session of its own,
// with only standard input, output and error open and default signal handling. It has ended when its process group is
// empty; its status is that of the program itself. When `stop` is requested, the group gets SIGTERM, and SIGKILL after
// `kill_after`. When this process ends, in whatever way, the group is killed (supervisor.hpp). A child that leaves the
// group (setsid) goes on by itself, and its output is read for at most a second.
outcome run_command(call const& request, std::stop_token const& stop, time_source const& time);

} // namespace baton::agent
