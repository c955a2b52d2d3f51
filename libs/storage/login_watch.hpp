#pragma once

#include "libs/base/time.hpp"

#include <mutex>
#include <optional>
#include <string>

namespace baton::storage {

// The log-ins of a process at one database, shared by its sessions. If the server refuses the password, not each
// session tries it again: all together they try once a pause, which doubles from 1 s to 8 s. Another password, as after
// a change of its file, may be tried at once. The log tells a refused password once, and that the server accepts one
// again. Thread-safe.
class login_watch {
public:
    // `server`: for the log.
    explicit login_watch(std::string server) : server_(std::move(server)) {}

    // Before a log-in. Returns the reason of the last refusal if this password must not be tried yet.
    std::optional<std::string> refusal_of(std::string const& password, instant now);
    // After it.
    void refused(std::string const& password, std::string const& reason, instant now);
    void accepted();

private:
    struct refusal {
        std::string password;
        std::string reason;
        duration pause;
        instant next_try;
    };

    std::string server_;
    std::mutex mutex_; // guards the refusal
    std::optional<refusal> last_;
};

} // namespace baton::storage
