#pragma once
// The threads that run a service's handlers.

#include "baton/client/execution.hpp"
#include "baton/client/result.hpp"
#include "client-sdk/src/job.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace baton::client {

using handler_table = std::map<std::string, std::function<result(execution&)>>;

// A thread for each slot. The loop calls `start`; handlers run on the threads, and `done` is posted to the loop.
class worker_pool final : public executor {
public:
    worker_pool(asio::any_io_executor loop, time_source& time, handler_table handlers, int threads);
    // As close().
    ~worker_pool() override;

    void start(std::shared_ptr<job> work, std::function<void(outcome)> done) override;

    // Ends the threads. A thread that is still in a handler is left behind: it no longer touches this object, the loop
    // or the time source, and ends when the handler returns.
    void close();

private:
    struct shared;
    std::shared_ptr<shared> shared_;
    std::vector<std::jthread> threads_;
};

} // namespace baton::client
