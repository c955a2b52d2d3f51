#pragma once

#include <string>

namespace baton {

// A lock that one process of this host has at a time, and that ends with it. Real: file_lock. Simulated:
// sim::lock_file.
class exclusive_lock {
public:
    virtual ~exclusive_lock() = default;

    virtual bool try_lock() = 0; // throws unavailable when nobody could lock it
    virtual void unlock() = 0;
    virtual bool locked() const = 0;

    // Tells the lock that is held from others of the same name; nothing while it is not held.
    virtual std::string identity() const = 0;
};

// A lock on a file (flock), which the kernel frees when the process ends, however it ends. Advisory; on one host. The
// file is made if it is absent, stays, and is not inherited by programs that this one starts.
class file_lock final : public exclusive_lock {
public:
    explicit file_lock(std::string path);
    ~file_lock() override; // unlocks
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;

    bool try_lock() override; // throws unavailable when the file cannot be opened
    void unlock() override;
    bool locked() const override { return file_ >= 0; }

    // Device and inode of the locked file: another file under the same name is another lock.
    std::string identity() const override;

private:
    std::string path_;
    int file_ = -1;
};

} // namespace baton
