#pragma once

#include "libs/base/time.hpp"

#include <algorithm>

namespace baton {

// Pauses between the tries of work that fails: each is twice as long as the one before. They begin again after a try
// that went well for a while.
class backoff {
public:
    // `well`: a try that lasted so long before it failed went well.
    struct settings {
        duration first;
        duration longest;
        duration well;
    };
    explicit backoff(settings how) : how_(how) {}

    // The pause after a try that lasted so long.
    duration after(duration tried)
    {
        bool const begin = last_ == duration{} || tried >= how_.well;
        last_ = begin ? how_.first : std::min(2 * last_, how_.longest);
        return last_;
    }

private:
    settings how_;
    duration last_{};
};

} // namespace baton
