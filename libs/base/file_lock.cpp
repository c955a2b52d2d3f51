#include "libs/base/file_lock.hpp"

#include "libs/base/error.hpp"
#include "libs/base/private_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace baton {

file_lock::file_lock(std::string path) : path_(std::move(path)) {}

file_lock::~file_lock()
{
    unlock();
}

bool file_lock::try_lock()
{
    if (locked())
        return true;
    make_private_file(path_); // whoever can open it can lock it
    int const file = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0)
        throw unavailable("lock file " + path_ + ": " + std::strerror(errno));
    if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
        ::close(file);
        return false;
    }
    file_ = file;
    return true;
}

void file_lock::unlock()
{
    if (file_ >= 0)
        ::close(file_);
    file_ = -1;
}

std::string file_lock::identity() const
{
    struct stat seen {};
    if (file_ < 0 || ::fstat(file_, &seen) != 0)
        return {};
    return std::to_string(seen.st_dev) + ":" + std::to_string(seen.st_ino);
}

} // namespace baton
