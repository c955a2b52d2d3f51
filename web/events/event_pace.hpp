#pragma once

#include "libs/base/time.hpp"

#include <cstddef>
#include <optional>

namespace baton::web {

// When pages may be told of changes. A page that is told reads its list anew, so with many pages each is told less
// often: all of them together 40 times a second at most. Pure.
class event_pace {
public:
    static constexpr duration of_each = 25ms;

    // True if the pages may be told now; then the next time is later.
    bool may_tell(instant now, std::size_t pages)
    {
        if (told_ && now - *told_ < of_each * static_cast<int>(pages))
            return false;
        told_ = now;
        return true;
    }

private:
    std::optional<instant> told_;
};

} // namespace baton::web
