#pragma once

#include "libs/base/error.hpp"
#include "libs/base/time.hpp"

#include <string>
#include <utility>

namespace baton {

// The request was refused before any part of it was done, because too many others wait. The HTTP router answers 503
// with Retry-After.
class overloaded : public unavailable {
public:
    overloaded(std::string why, duration retry_after) : unavailable(std::move(why)), retry_after_(retry_after) {}
    duration retry_after() const noexcept { return retry_after_; }

private:
    duration retry_after_;
};

} // namespace baton
