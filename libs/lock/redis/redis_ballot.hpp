#pragma once
// One question to all servers of a majority lock. On the loop only.

#include "libs/lock/redis/redis_majority_kind.hpp"

namespace baton::lock {

enum class redis_vote { none, yes, no }; // none: no answer, or none yet

class redis_ballot : public std::enable_shared_from_this<redis_ballot> {
public:
    using question = awaitable<bool> (*)(redis_server& server, redis_ballot const& in);

    redis_ballot(majority_parts const& parts, bid offer);

    // Asks whoever has not answered; who answers after nobody waits any more does so in vain.
    void begin(question what);
    // Returns when a majority has said the same, or none can any more. Each answer has its limit.
    awaitable<void> decided();

    std::size_t count(redis_vote what) const;
    bool carried() const { return count(redis_vote::yes) >= parts_.quorum(); }
    bool rejected() const { return count(redis_vote::no) > parts_.servers.size() - parts_.quorum(); }
    std::string const& failure() const { return failure_; } // of an answer that is missing

    bid const offer;
    redis_keys const keys;

private:
    static awaitable<void> ask(std::shared_ptr<redis_ballot> me, std::size_t number, question what);

    majority_parts const& parts_;
    std::vector<redis_vote> votes_;
    std::size_t open_ = 0; // answers that are on their way
    std::string failure_;
    waker changed_;
};

} // namespace baton::lock
