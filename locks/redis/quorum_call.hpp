#pragma once
// One call to all servers of a majority lock. On the loop only.

#include "locks/redis/majority_kind.hpp"

namespace baton::lock {

enum class redis_vote { none, yes, no }; // none: no answer (yet)

class redis_quorum_call : public std::enable_shared_from_this<redis_quorum_call> {
public:
    using operation = awaitable<bool> (*)(redis_server& server, redis_quorum_call const& call);

    // If a server has not answered `previous` yet, it is called at once. If it says no, it is called again after its
    // answer to `previous`: a command that takes two steps, since the server had forgotten the script, may take effect
    // after a later one.
    redis_quorum_call(majority_deps const& deps, acquisition_request request,
                      std::shared_ptr<redis_quorum_call> previous = {});

    // Calls each server that has not answered yet. Returns at once.
    void begin(operation called);
    // Waits until a majority agrees or no longer can. Each answer has its own time limit.
    awaitable<void> decided();
    // Waits until each server has answered or failed.
    awaitable<void> ended();

    std::size_t count(redis_vote wanted) const;
    bool succeeded() const { return count(redis_vote::yes) >= deps_.quorum(); }
    bool rejected() const { return count(redis_vote::no) > deps_.servers.size() - deps_.quorum(); }
    std::string const& failure() const { return failure_; } // why an answer is missing

    acquisition_request const request;
    redis_keys const keys;

private:
    struct vote {
        explicit vote(asio::any_io_executor loop) : ended(std::move(loop)) {}

        redis_vote answer = redis_vote::none;
        bool open = false; // the answer has not arrived
        waker ended;       // for the call that follows
    };

    awaitable<redis_vote> call_server(std::size_t number, operation called);
    static awaitable<void> run(std::shared_ptr<redis_quorum_call> me, std::size_t number, operation called);

    majority_deps const& deps_;
    std::shared_ptr<redis_quorum_call> previous_;
    std::vector<std::unique_ptr<vote>> votes_;
    std::size_t open_ = 0; // votes
    std::string failure_;
    waker changed_;
};

} // namespace baton::lock
