#pragma once

#include <cstddef>
#include <span>

namespace baton::agent {

// The lowest descriptor that a command may be given its pipes at: the supervisor has those below.
inline constexpr int first_of_command = 5;

// The orders of the agent to the supervisor of a command, a byte each. The end of the pipe is the agent's end, and
// kills the command's process group.
enum class supervisor_order : char { terminate = 'T', kill = 'K' };

// A message of the supervisor to the agent. The end of this pipe is the end of the supervisor.
struct supervisor_news {
    enum class kind : int {
        started, // `value`: the process id of the command, which is also that of its group
        ended,   // `value`: the status of the command, as wait() gives it; others of its group may still run
    };
    kind what;
    int value;
};

// The step that turns a new process into the command. Runs between fork() and execve(): system calls only.
class command_start {
public:
    [[noreturn]] virtual void become_command() const = 0;
    // The descriptors that it needs for that, from first_of_command on, in rising order.
    virtual std::span<int const> descriptors() const = 0;

protected:
    ~command_start() = default;
};

// The rest of the life of a process between the agent and one command: a child of the agent's by fork(), which may
// have held any lock, so it makes system calls only. It starts the command in a session of its own, adopts what that
// leaves behind (prctl PR_SET_CHILD_SUBREAPER), and ends when the command's process group is empty. When the agent has
// ended, however that happened, it kills the group: the next attempt runs elsewhere. All descriptors but `orders`,
// `news` and the command's are closed, up to `descriptors` where the kernel has no close_range().
[[noreturn]] void supervise(int orders, int news, std::size_t descriptors, command_start const& command);

} // namespace baton::agent
