#pragma once

#include "libs/base/time.hpp"

#include <optional>
#include <string>

namespace baton::web {

// The last answer to a question that many pages ask at the same time, and of which seconds do not matter. While one
// request makes the next answer, the others get the last one. On the loop only.
class kept_answer {
public:
    // Nothing if the caller is to make a new answer; it then calls keep() or give_up().
    std::optional<std::string> find(instant now)
    {
        auto const age = now - made_at_;
        if (body_ && (age < 2s || (being_made_ && age < 10s)))
            return body_;
        being_made_ = true;
        return std::nullopt;
    }
    void keep(std::string body, instant now)
    {
        body_ = std::move(body);
        made_at_ = now;
        being_made_ = false;
    }
    void give_up() { being_made_ = false; }

private:
    std::optional<std::string> body_;
    instant made_at_{};
    bool being_made_ = false;
};

} // namespace baton::web
