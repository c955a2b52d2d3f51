#pragma once

#include "trigger/master/client_directory.hpp"
#include "trigger/master/named_credit.hpp"
#include "trigger/master/open_set.hpp"

#include <memory>
#include <string>
#include <unordered_map>

namespace baton::trigger {

// How many executions the master may still send to a client that it chooses itself: the slots and queue places in the
// client's row, minus the executions that it has. Only such clients are kept here, as long as they have executions.
// Part of a term.
class named_credits {
public:
    explicit named_credits(open_set const& open) : open_(open) {}

    // Valid as long as it is in use, or until the next call.
    named_credit& at(listed_client const& client);
    // Places that are left. One whose home has returned an execution gets one at a time until it takes one.
    int room(listed_client const& client) const;

private:
    void forget_unused();

    open_set const& open_;
    std::unordered_map<std::string, std::unique_ptr<named_credit>> clients_; // by instance
    std::size_t look_at_ = 100; // when there are so many, the unused are dropped
};

} // namespace baton::trigger
