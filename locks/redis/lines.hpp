#pragma once
// The lines of a store: where the loop has found what is asked for, threads that wait go by themselves from then on.
// Nothing that is known here is certain: whoever is turned away there goes by the loop, and the way is forgotten.

#include "locks/redis/connection.hpp"
#include "locks/redis/line.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace baton::lock {

class redis_lines {
public:
    explicit redis_lines(time_source& time) : time_(time) {}

    // Any thread. A place is what leads to one server (redis_route::place_of).
    //
    // A line for the caller alone, which comes back when it lets go of it. Null when the way is not known or leads
    // nowhere, or when all lines are in use.
    std::shared_ptr<redis_line> borrow(unsigned place, instant until);
    // Where the loop has just had an answer for the place.
    void learn(unsigned place, redis_connection const& by);
    void forget(unsigned place);

private:
    struct way {
        asio::ip::tcp::endpoint at;
        redis_location to;
        bool operator==(way const&) const = default;
    };
    struct line {
        way by;
        unsigned era; // in which it was lent
        std::unique_ptr<redis_line> made;
    };

    std::optional<line> find(unsigned place);
    bool open(line& one, instant until);
    void give_back(line one);

    time_source& time_;
    asio::io_context never_run_; // whose reactor no thread waits for
    std::mutex mutex_;           // of what follows
    std::map<unsigned, way> ways_;
    std::vector<line> idle_;
    std::size_t lines_ = 0; // with those in use
    unsigned era_ = 0;      // ends where a way is forgotten: what was lent before is not used again
};

} // namespace baton::lock
