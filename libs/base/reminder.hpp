#pragma once

#include "libs/base/time.hpp"

#include <optional>
#include <string>

namespace baton {

// Decides when the log tells of a failure that lasts: at once if its reason is new, and again once a minute, so that
// the end of a long log shows it. Pure.
class reminder {
public:
    bool is_due(std::string const& reason, instant now)
    {
        if (told_ && told_->reason == reason && now - told_->at < 1min)
            return false;
        told_ = {reason, now};
        return true;
    }

    // The failure is over. Returns whether it was told.
    bool clear()
    {
        bool const was_told = told_.has_value();
        told_.reset();
        return was_told;
    }

private:
    struct telling {
        std::string reason;
        instant at;
    };
    std::optional<telling> told_;
};

} // namespace baton
