#include "libs/storage/login_watch.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

constexpr duration first_pause = 1s;
constexpr duration longest_pause = 8s;

} // namespace

std::optional<std::string> login_watch::refusal_of(std::string const& password, instant now)
{
    std::lock_guard const lock(mutex_);
    if (!last_ || last_->password != password)
        return std::nullopt;
    if (now < last_->next_try)
        return last_->reason;
    // The other sessions wait for what this one finds.
    last_->pause = std::min(2 * last_->pause, longest_pause);
    last_->next_try = now + last_->pause;
    return std::nullopt;
}

void login_watch::refused(std::string const& password, std::string const& reason, instant now)
{
    std::lock_guard const lock(mutex_);
    if (last_ && last_->password == password) {
        last_->reason = reason;
        return;
    }
    last_ = {password, reason, first_pause, now + first_pause};
    log::warn(
        "database",
        "the server refuses the user or the password, trying again with pauses of 1 s to 8 s, and at once when the "
        "password file has changed",
        {{"database", server_}});
}

void login_watch::accepted()
{
    std::lock_guard const lock(mutex_);
    if (!last_)
        return;
    last_.reset();
    log::info("database", "the server accepts the user and the password again", {{"database", server_}});
}

} // namespace baton::storage
