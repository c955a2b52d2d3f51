#include "client-sdk/src/worker_pool.hpp"

#include <boost/asio/post.hpp>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

namespace baton::client {

// Outlives the pool for as long as a handler does not return.
struct worker_pool::shared {
    struct item {
        std::shared_ptr<job> work;
        std::function<void(outcome)> done;
    };
    struct ended {
        std::function<void(outcome)> done;
        outcome what;
    };

    shared(asio::any_io_executor l, time_source& t, handler_table h)
        : loop(std::move(l)), time(&t), handlers(std::move(h))
    {}

    std::mutex mutex;
    std::condition_variable ready;
    std::deque<item> waiting;
    std::vector<ended> over; // for the loop, which takes them all at once
    int idle = 0;            // threads that wait
    bool called = false;     // one of them has been woken and is not here yet
    int busy = 0;
    bool closed = false;
    asio::any_io_executor loop; // this and `time` only under the mutex and while not closed
    time_source* time;
    handler_table const handlers;

    static void serve(std::shared_ptr<shared> const& self);
    void call_one();
    void await_work(std::unique_lock<std::mutex>& lock);
    static void hand_over(std::shared_ptr<shared> const& self, ended what);
    void tell();
    outcome call(std::shared_ptr<job> work) const;
};

// Under the mutex. One thread at a time is on its way, and calls the next when it is here and more waits: so handlers
// that take no time are run by few threads, without a wake-up for each.
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
        ended over{std::move(one.done), self->call(one.work)};
        one.work.reset();
        lock.lock();
        --self->busy;
        if (self->closed)
            return;
        over.what.ended = read(*self->time);
        lock.unlock();
        normalise(over.what);
        lock.lock();
        if (self->closed)
            return;
        hand_over(self, std::move(over));
    }
}

// Under the mutex. The loop is woken once for all that end before it looks.
void worker_pool::shared::hand_over(std::shared_ptr<shared> const& self, ended what)
{
    self->over.push_back(std::move(what));
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
        one.done(std::move(one.what));
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
