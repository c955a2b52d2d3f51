#include "client-sdk/src/worker_pool.hpp"

#include <boost/asio/post.hpp>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

namespace baton::client {

// Outlives the pool until the last handler has returned.
struct worker_pool::shared {
    struct item {
        std::shared_ptr<job> work;
        std::function<void(outcome)> done;
    };
    struct ended {
        std::function<void(outcome)> done;
        outcome end;
    };

    shared(asio::any_io_executor l, time_source& t, handler_table h)
        : loop(std::move(l)), time(&t), handlers(std::move(h))
    {}

    std::mutex mutex;
    std::condition_variable ready;
    std::deque<item> waiting;
    std::vector<ended> over; // for the loop, which takes all at once
    int idle = 0;            // waiting threads
    bool called = false;     // one of them has been woken and has not taken a job yet
    int busy = 0;
    bool closed = false;
    asio::any_io_executor loop; // this and `time` only under the mutex and while not closed
    time_source* time;
    handler_table const handlers;

    static void serve(std::shared_ptr<shared> const& self);
    void call_one();
    void await_work(std::unique_lock<std::mutex>& lock);
    static void hand_over(std::shared_ptr<shared> const& self, ended one);
    void tell();
    result call(std::shared_ptr<job> work) const;
};

// Under the mutex. One thread at a time is waking up; it wakes the next if more jobs wait when it has taken one. So few
// threads run short handlers, without a wake-up for each.
void worker_pool::shared::call_one()
{
    if (idle == 0 || called)
        return;
    called = true;
    ready.notify_one();
}

void worker_pool::shared::await_work(std::unique_lock<std::mutex>& lock)
{
    while (!closed && waiting.empty()) {
        ++idle;
        ready.wait(lock);
        --idle;
        called = false;
    }
}

void worker_pool::shared::serve(std::shared_ptr<shared> const& self)
{
    std::unique_lock lock(self->mutex);
    for (;;) {
        self->await_work(lock);
        if (self->closed)
            return;
        auto one = std::move(self->waiting.front());
        self->waiting.pop_front();
        if (!self->waiting.empty())
            self->call_one();
        ++self->busy;
        lock.unlock();
        auto const returned = self->call(one.work);
        one.work.reset();
        lock.lock();
        --self->busy;
        if (self->closed)
            return;
        auto const now = read(*self->time);
        lock.unlock();
        ended over{std::move(one.done), make_outcome(returned, now)};
        lock.lock();
        if (self->closed)
            return;
        hand_over(self, std::move(over));
    }
}

// Under the mutex. One post serves all handlers that end before the loop runs it.
void worker_pool::shared::hand_over(std::shared_ptr<shared> const& self, ended one)
{
    self->over.push_back(std::move(one));
    if (self->over.size() == 1)
        asio::post(self->loop, [self] { self->tell(); });
}

void worker_pool::shared::tell()
{
    std::vector<ended> all;
    {
        std::lock_guard const lock(mutex);
        all.swap(over);
    }
    for (auto& one : all)
        one.done(std::move(one.end));
}

result worker_pool::shared::call(std::shared_ptr<job> work) const
{
    try {
        execution run(work);
        return handlers.at(work->work.handler)(run);
    } catch (std::exception const& failure) {
        return result::fail(failure.what());
    } catch (...) {
        return result::fail("the handler threw something that is no std::exception");
    }
}

worker_pool::worker_pool(asio::any_io_executor loop, time_source& time, handler_table handlers, int threads)
    : shared_(std::make_shared<shared>(std::move(loop), time, std::move(handlers)))
{
    for (int i = 0; i < threads; ++i)
        threads_.emplace_back([state = shared_] { shared::serve(state); });
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
        shared_->call_one();
    }
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
