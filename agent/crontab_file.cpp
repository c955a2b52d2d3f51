#include "agent/crontab_file.hpp"

#include "agent/launch.hpp"
#include "libs/base/error.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <pwd.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace baton::agent {

namespace {

using schedule::crontab_form;

constexpr uid_t root = 0;

[[noreturn]] void refuse(std::string const& path, std::string const& why)
{
    throw invalid_input("crontab", path + ": " + why);
}

bool in_spool(std::filesystem::path const& file)
{
    auto const folder = file.parent_path();
    return folder.filename() == "crontabs" || folder == "/var/spool/cron";
}

std::string owner_text(crontab_facts const& file)
{
    return file.owner_name.empty() ? "the user " + std::to_string(file.owner) : file.owner_name;
}

void check_mode(crontab_facts const& file, bool spooled)
{
    if (!file.regular)
        refuse(file.path, "is not a regular file");
    if (file.links > 1)
        refuse(file.path, "has more than one hard link");
    if (spooled && (file.mode & 0077) != 0)
        refuse(file.path, "can be read or written by other users: chmod 600 it");
    if ((file.mode & 0022) != 0)
        refuse(file.path, "can be written by other users: chmod go-w it");
}

std::string name_of(uid_t user)
{
    std::vector<char> buffer(16'384);
    passwd entry{};
    passwd* found = nullptr;
    getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
    return found == nullptr ? std::string() : found->pw_name;
}

std::string all_of(descriptor const& file, std::string const& path)
{
    std::string text;
    char buffer[16'384];
    for (;;) {
        auto const count = read(file.number(), buffer, sizeof buffer);
        if (count == 0)
            return text;
        if (count > 0)
            text.append(buffer, static_cast<std::size_t>(count));
        else if (errno != EINTR)
            refuse(path, "cannot be read: " + std::generic_category().message(errno));
    }
}

} // namespace

std::string user_of(crontab_facts const& file, crontab_form form, uid_t self)
{
    std::filesystem::path const path{file.path};
    bool const spooled = form == crontab_form::user && in_spool(path);
    check_mode(file, spooled);
    if (self != root && file.owner != self && file.owner != root)
        refuse(file.path,
               "belongs to " + owner_text(file) + ", whose commands only an agent that runs as root may run");
    if (form == crontab_form::system) {
        if (self == root && file.owner != root)
            refuse(file.path, "belongs to " + owner_text(file) + ", and a system crontab must belong to root");
        return {};
    }
    if (spooled) {
        if (file.owner != root && file.owner_name != path.filename())
            refuse(file.path, "belongs to " + owner_text(file) + " and not to the user after whom it is named");
        return path.filename();
    }
    if (self != root)
        return {}; // as itself
    if (file.owner_name.empty())
        refuse(file.path, "belongs to " + owner_text(file) + ", who has no account");
    return file.owner_name;
}

crontab_text read_crontab_file(std::string const& path, crontab_form form)
{
    descriptor const file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a pipe would block
    if (!file.open())
        refuse(path, "cannot be read: " + std::generic_category().message(errno));
    struct stat seen {};
    if (fstat(file.number(), &seen) != 0)
        refuse(path, "cannot be read: " + std::generic_category().message(errno));
    crontab_facts const facts{path,          S_ISREG(seen.st_mode), seen.st_mode & 07777,
                              seen.st_nlink, seen.st_uid,           name_of(seen.st_uid)};
    auto user = user_of(facts, form, geteuid());
    return {all_of(file, path), std::move(user)};
}

} // namespace baton::agent
