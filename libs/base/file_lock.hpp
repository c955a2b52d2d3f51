#pragma once
// A mutual exclusion lock between the processes of one host. Not thread-safe.

#include <string>

namespace baton {

// Held by at most one process of this host; released at the latest when that process ends. Real: file_lock.
// Simulated: sim::lock_file.
class exclusive_lock {
public:
    virtual ~exclusive_lock() = default;

    // False if another process holds the lock; true if this object holds it already. Throws unavailable if the lock
    // cannot be used at all.
    virtual bool try_lock() = 0;
    virtual void unlock() = 0;
    virtual bool locked() const = 0;

    // Distinguishes the held lock from another lock of the same name; empty while it is not held.
    virtual std::string identity() const = 0;
};

// An advisory lock on a file (flock). The kernel releases it when the process ends, even by SIGKILL. The file is
// created for this user alone (private_file.hpp) if absent, and never deleted. Child processes do not inherit it.
class file_lock final : public exclusive_lock {
public:
    explicit file_lock(std::string path);
    ~file_lock() override; // unlocks
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;

    bool try_lock() override; // throws unavailable if the file cannot be opened, not_private if others can
    void unlock() override;
    bool locked() const override { return file_ >= 0; }

    // Device and inode of the locked file: a file that was replaced under the same name is a different lock.
    std::string identity() const override;

private:
    std::string path_;
    int file_ = -1;
};

} // namespace baton
