#pragma once

#include <string>

namespace baton {

// A lock on a file (flock), which the kernel frees when the process ends, however it ends. Advisory; on one host. The
// file is made if it is absent, stays, and is not inherited by programs that this one starts.
class file_lock {
public:
    explicit file_lock(std::string path);
    ~file_lock(); // unlocks
    file_lock(file_lock const&) = delete;
    file_lock& operator=(file_lock const&) = delete;

    bool try_lock(); // throws unavailable when the file cannot be opened
    void unlock();
    bool locked() const { return file_ >= 0; }

    // Device and inode of the locked file: another file under the same name is another lock.
    std::string identity() const;

private:
    std::string path_;
    int file_ = -1;
};

} // namespace baton
