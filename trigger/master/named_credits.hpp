#pragma once

#include "trigger/master/client_directory.hpp"
#include "trigger/master/named_credit.hpp"
#include "trigger/master/open_set.hpp"

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace baton::trigger {

// How many executions the master may still send to a client that it chooses itself: the places that the client's home
// has told, minus the executions that it has. Only such clients are kept here. Part of a term.
class named_credits {
public:
    // `listed`: is it a live client?
    named_credits(open_set const& open, std::function<bool(std::string const& instance)> listed)
        : open_(open), listed_(std::move(listed))
    {}

    void hear(protocol::client_places const& told);

    // Valid as long as it is in use, or until the next call.
    named_credit& at(listed_client const& client);
    // Places that are left. One whose home has returned an execution gets one at a time until it takes one.
    int room(listed_client const& client) const;

private:
    void forget_unused();
    int places(listed_client const& client) const;

    open_set const& open_;
    std::function<bool(std::string const&)> listed_;
    std::unordered_map<std::string, int> told_; // places, by instance
    std::size_t look_at_told_ = 100;            // when there are so many, those of clients that are gone are dropped
    std::unordered_map<std::string, std::unique_ptr<named_credit>> clients_; // by instance
    std::size_t look_at_ = 100; // when there are so many, the unused are dropped
};

} // namespace baton::trigger
