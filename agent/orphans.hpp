#pragma once

#include <functional>
#include <sys/types.h>

namespace baton::agent {

// As process 1 of a container this process becomes the parent of every orphan, such as a daemon that a command has left
// behind, and must reap it. Its own children are reaped by await_end. Thread-safe.

// Calls `fork_one`, which returns the id of a new child or -1, and passes that on.
pid_t fork_noted(std::function<pid_t()> const& fork_one);
// Waits for the end of a child that fork_noted has returned.
void await_end(pid_t child);
// Reaps orphans that have ended. Does nothing in a process that does not get orphans.
void reap_orphans();

} // namespace baton::agent
