#include "client-sdk/src/worker_pool.hpp"

#include <boost/asio/post.hpp>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>

namespace baton::client {

// Outlives the pool for as long as a handler does not return.
struct worker_pool::shared {
    struct item {
        std::shared_ptr<job> work;
        std::function<void(outcome)> done;
    };

    shared(asio::any_io_executor l, time_source& t, handler_table h)
        : loop(std::move(l)), time(&t), handlers(std::move(h))
    {}

    std::mutex mutex;
    std::condition_variable ready;
    std::deque<item> waiting;
    int busy = 0;
    bool closed = false;
    asio::any_io_executor loop; // this and `time` only under the mutex and while not closed
    time_source* time;
    handler_table const handlers;

    void serve();
    outcome call(std::shared_ptr<job> work) const;
};

void worker_pool::shared::serve()
{
    std::unique_lock lock(mutex);
    for (;;) {
        ready.wait(lock, [this] { return closed || !waiting.empty(); });
        if (closed)
            return;
        auto one = std::move(waiting.front());
        waiting.pop_front();
        ++busy;
        lock.unlock();
        auto what = call(one.work);
        one.work.reset();
        lock.lock();
        --busy;
        if (closed)
            return;
        what.ended = read(*time);
        lock.unlock();
        normalise(what);
        lock.lock();
        if (closed)
            return;
        asio::post(loop, [done = std::move(one.done), told = std::move(what)]() mutable { done(std::move(told)); });
    }
}

outcome worker_pool::shared::call(std::shared_ptr<job> work) const
{
    outcome what;
    try {
        execution run(work);
        auto const returned = handlers.at(work->work.handler)(run);
        what.succeeded = returned.succeeded();
        what.value = returned.value();
        what.error = returned.error();
    } catch (std::exception const& failure) {
        what.error = failure.what();
    } catch (...) {
        what.error = "the handler threw something that is no std::exception";
    }
    if (!what.succeeded && what.error.empty())
        what.error = "the handler failed without saying why";
    return what;
}

worker_pool::worker_pool(asio::any_io_executor loop, time_source& time, handler_table handlers, int threads)
    : shared_(std::make_shared<shared>(std::move(loop), time, std::move(handlers)))
{
    for (int i = 0; i < threads; ++i)
        threads_.emplace_back([state = shared_] { state->serve(); });
}

worker_pool::~worker_pool()
{
    close();
}

void worker_pool::start(std::shared_ptr<job> work, std::function<void(outcome)> done)
{
    {
        std::lock_guard const lock(shared_->mutex);
        shared_->waiting.push_back({std::move(work), std::move(done)});
    }
    shared_->ready.notify_one();
}

void worker_pool::close()
{
    bool left_behind = false;
    {
        std::lock_guard const lock(shared_->mutex);
        shared_->closed = true;
        shared_->waiting.clear();
        shared_->loop = {};
        shared_->time = nullptr;
        left_behind = shared_->busy > 0;
    }
    shared_->ready.notify_all();
    for (auto& thread : threads_) {
        if (left_behind)
            thread.detach();
        else
            thread.join();
    }
    threads_.clear();
}

} // namespace baton::client
