#pragma once
// One request to ZooKeeper. The answer arrives on a thread of the client and is passed to the waiting loop or thread.

#include "libs/base/loop.hpp"
#include "libs/base/time.hpp"

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct zoo_node {
    std::string path;
    std::int64_t created = 0; // czxid: rises with every node that is created anywhere in this ZooKeeper
    std::int64_t owner = 0;   // the session whose end removes it; 0 for none
    std::int64_t created_ms = 0;
    int children = 0;
    int version = 0; // rises with each write
};

struct zoo_reply {
    std::string failure; // why there is no answer; empty if there is one
    bool done = false;   // false: the node is missing, or exists where it was to be created
    zoo_node node;
    std::vector<std::string> names;
};

class zoo_call {
public:
    // Called once, on any thread.
    void answer(zoo_reply reply);
    // Called once. Throws `unavailable` if the request failed or has no answer at `until`; a later answer is ignored.
    static awaitable<zoo_reply> answer_to(std::shared_ptr<zoo_call> call, time_source& time, instant until);

private:
    class waiter;

    awaitable<bool> wait_on_loop(time_source& time, instant until);
    bool block(duration limit);

    std::mutex mutex_; // protects the members below
    std::condition_variable answered_;
    std::optional<zoo_reply> answer_;
    waiter* waiter_ = nullptr;
};

} // namespace baton::lock
