#include "libs/base/private_file.hpp"

#include "libs/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace baton {

namespace {

constexpr mode_t of_others = 0077;

[[noreturn]] void fail(std::string const& path, int error)
{
    throw unavailable(path + ": " + std::generic_category().message(error));
}

// Closes itself.
struct open_file {
    int const number;
    ~open_file()
    {
        if (number >= 0)
            ::close(number);
    }
};

void check_owner(struct stat const& seen, std::string const& path)
{
    if (seen.st_uid != geteuid() && seen.st_uid != 0)
        throw not_private(path + " belongs to another user (" + std::to_string(seen.st_uid) +
                          "), who can read and replace it: chown it to the user of this process");
}

void check(struct stat const& seen, std::string const& path, char const* remedy)
{
    check_owner(seen, path);
    if ((seen.st_mode & of_others) != 0)
        throw not_private(path + " can be read or written by other users: " + remedy + " it");
}

// Whether there is such a file; it is checked then.
bool find(std::string const& path, char const* remedy)
{
    struct stat seen {};
    if (::stat(path.c_str(), &seen) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return false;
        fail(path, errno);
    }
    check(seen, path, remedy);
    return true;
}

// Others may read the folder of a secret, such as /etc, but must not be able to put another file into its place.
void check_folder_of(std::string const& file)
{
    auto folder = std::filesystem::path(file).parent_path().string();
    if (folder.empty())
        folder = ".";
    struct stat seen {};
    if (::stat(folder.c_str(), &seen) != 0)
        fail(folder, errno);
    check_owner(seen, folder);
    if ((seen.st_mode & 0022) != 0 && (seen.st_mode & S_ISVTX) == 0)
        throw not_private(folder + ", the folder of " + file +
                          ", can be written by other users, who can replace the file: chmod go-w it");
}

std::string all_of(open_file const& file, std::string const& path)
{
    std::string text;
    char buffer[4'096];
    for (;;) {
        auto const count = ::read(file.number, buffer, sizeof buffer);
        if (count == 0)
            return text;
        if (count > 0)
            text.append(buffer, static_cast<std::size_t>(count));
        else if (errno != EINTR)
            fail(path, errno);
    }
}

} // namespace

void make_private_folder(std::string const& path)
{
    if (find(path, "chmod 700"))
        return;
    auto const above = std::filesystem::path(path).lexically_normal().parent_path();
    if (std::error_code none; !above.empty() && !std::filesystem::exists(above, none))
        make_private_folder(above.string());
    if (::mkdir(path.c_str(), 0700) == 0)
        ::chmod(path.c_str(), 0700);                      // the umask may have taken away bits of the owner
    else if (errno != EEXIST || !find(path, "chmod 700")) // another process may have been quicker
        fail(path, errno);
}

void make_private_file(std::string const& path)
{
    open_file const made{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (made.number >= 0)
        ::fchmod(made.number, 0600);
    else if (errno != EEXIST)
        fail(path, errno);
    else
        check_private_file(path);
}

void check_private_file(std::string const& path)
{
    find(path, "chmod 600");
}

std::string read_private_file(std::string const& path)
{
    open_file const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.number < 0)
        fail(path, errno);
    struct stat seen {};
    if (::fstat(file.number, &seen) != 0)
        fail(path, errno);
    check(seen, path, "chmod 600");
    check_folder_of(path);
    return all_of(file, path);
}

std::string read_secret_file(std::string const& path)
{
    auto text = read_private_file(path);
    text.erase(std::min(text.find_first_of("\r\n"), text.size()));
    if (text.empty())
        throw unavailable(path + " is empty");
    return text;
}

} // namespace baton
