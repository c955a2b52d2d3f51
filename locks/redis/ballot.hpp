#pragma once
// One question to all servers of a majority lock. On the loop only.

#include "locks/redis/majority_kind.hpp"

namespace baton::lock {

enum class redis_vote { none, yes, no }; // none: no answer, or none yet

class redis_ballot : public std::enable_shared_from_this<redis_ballot> {
public:
    using question = awaitable<bool> (*)(redis_server& server, redis_ballot const& in);

    // Whose answer to `before` is on its way is asked at once, and again behind that answer when he has said no: what
    // he is asked in two steps, since he has forgotten the script, ends behind what comes between them.
    redis_ballot(majority_parts const& parts, acquisition_request request, std::shared_ptr<redis_ballot> before = {});

    // Asks whoever has not answered; who answers after nobody waits any more does so in vain.
    void begin(question what);
    // Returns when a majority has said the same, or none can any more. Each answer has its limit.
    awaitable<void> decided();
    awaitable<void> ended(); // when all have answered, or will not

    std::size_t count(redis_vote what) const;
    bool carried() const { return count(redis_vote::yes) >= parts_.quorum(); }
    bool rejected() const { return count(redis_vote::no) > parts_.servers.size() - parts_.quorum(); }
    std::string const& failure() const { return failure_; } // of an answer that is missing

    acquisition_request const request;
    redis_keys const keys;

private:
    struct vote {
        explicit vote(asio::any_io_executor loop) : ended(std::move(loop)) {}

        redis_vote said = redis_vote::none;
        bool open = false; // the answer is on its way
        waker ended;       // for the ballot that follows
    };

    awaitable<redis_vote> hear(std::size_t number, question what);
    static awaitable<void> ask(std::shared_ptr<redis_ballot> me, std::size_t number, question what);

    majority_parts const& parts_;
    std::shared_ptr<redis_ballot> before_;
    std::vector<std::unique_ptr<vote>> votes_;
    std::size_t open_ = 0; // votes
    std::string failure_;
    waker changed_;
};

} // namespace baton::lock
