#pragma once
// One request to ZooKeeper, from the thread that waits for its answer to the one on which it arrives.

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
    std::int64_t born = 0;  // czxid: rises with every node that is made anywhere in this ZooKeeper
    std::int64_t owner = 0; // the session with which it goes away
    std::int64_t made_ms = 0;
    int children = 0;
    int touched = 0; // how often
};

struct zoo_reply {
    std::string failure; // of the way to the node; empty: there is an answer
    bool done = false;   // false: the node is not there, or it is where it was to be made
    zoo_node node;
    std::vector<std::string> names;
};

class zoo_call {
public:
    // Once; any thread.
    void answer(zoo_reply what);
    // Once. Throws `unavailable` when it has failed, or is not answered until then: whatever comes later is ignored.
    static awaitable<zoo_reply> answer_to(std::shared_ptr<zoo_call> asked, time_source& time, instant until);

private:
    class ear;

    awaitable<bool> hear(time_source& time, instant until);
    bool hear_here(duration limit);

    std::mutex mutex_; // of what follows
    std::condition_variable heard_;
    std::optional<zoo_reply> answer_;
    ear* listens_ = nullptr;
};

} // namespace baton::lock
