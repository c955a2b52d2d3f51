#include "libs/base/loop_meter.hpp"
#include "libs/base/run_here.hpp"
#include "libs/storage/dialect.hpp"
#include "libs/storage/kept_session.hpp"
#include "libs/storage/login_watch.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace baton::storage {

namespace {

// A call on its way to a worker and back. `done` resumes the caller on the caller's own loop.
struct call {
    virtual ~call() = default;
    virtual void done(std::exception_ptr failure) = 0;

    std::function<void(soci::session&)> const* work = nullptr;
    bool in_transaction = false;
};

template <class Handler>
struct call_of final : call {
    using executor = asio::associated_executor_t<Handler, asio::any_io_executor>;

    call_of(Handler handler, asio::any_io_executor const& loop)
        : handler_(std::move(handler)), busy_(asio::get_associated_executor(handler_, loop))
    {}

    // The handler leaves this thread whole, so that the coroutine ends where it lives.
    void done(std::exception_ptr failure) override
    {
        auto const loop = busy_.get_executor();
        asio::post(loop, [handler = std::move(handler_), failure = std::move(failure)]() mutable {
            std::move(handler)(std::move(failure));
        });
    }

private:
    Handler handler_;
    asio::executor_work_guard<executor> busy_; // io_context::run() waits for the answer
};

class real_database final : public database {
public:
    real_database(location where, database_settings settings, time_source const& time)
        : where_(std::move(where)), settings_(settings)
    {
        if (!settings_.logins)
            settings_.logins = std::make_shared<login_watch>(where_.text());
        auto const count = std::max<std::size_t>(1, settings_.sessions);
        for (std::size_t i = 0; i < count; ++i)
            idle_.push_back(std::make_unique<kept_session>(where_, settings_, time));
        for (std::size_t i = 0; i < count; ++i)
            threads_.emplace_back([this] { serve(); });
    }

    ~real_database() override
    {
        {
            std::lock_guard const lock(mutex_);
            ending_ = true;
        }
        called_.notify_all();
        for (auto& thread : threads_)
            thread.join();
        for (auto& left : queue_)
            left->done(std::make_exception_ptr(unavailable("database: closed")));
    }

    storage::dialect const& dialect() const override { return dialect_of(where_.engine); }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        if (runs_here()) {
            borrowed const mine(*this);
            mine->run(work, in_transaction);
            co_return;
        }
        kept_part const part;
        auto const loop = co_await asio::this_coro::executor;
        // No cancellation slot is attached, so the caller stays suspended until the answer is there; a cancellation
        // that came meanwhile is delivered at its next co_await.
        auto const initiate = [&](auto handler) {
            auto made = std::make_unique<call_of<decltype(handler)>>(std::move(handler), loop);
            made->work = &work;
            made->in_transaction = in_transaction;
            submit(std::move(made));
        };
        co_await asio::async_initiate<asio::use_awaitable_t<> const, void(std::exception_ptr)>(initiate,
                                                                                               asio::use_awaitable);
    }

private:
    using session_place = std::unique_ptr<kept_session>;

    // One of the sessions, for a caller that does its work on its own thread.
    class borrowed {
    public:
        explicit borrowed(real_database& from) : from_(from), mine_(from.borrow()) {}
        ~borrowed() { from_.give_back(std::move(mine_)); }
        borrowed(borrowed const&) = delete;
        borrowed& operator=(borrowed const&) = delete;

        kept_session* operator->() const { return mine_.get(); }

    private:
        real_database& from_;
        session_place mine_;
    };

    void submit(std::unique_ptr<call> made)
    {
        {
            std::lock_guard const lock(mutex_);
            if (queue_.size() < settings_.queue_limit) {
                queue_.push_back(std::move(made));
                called_.notify_one();
                return;
            }
        }
        made->done(std::make_exception_ptr(unavailable("database: too many calls are waiting")));
    }

    session_place take_idle()
    {
        auto last = std::move(idle_.back());
        idle_.pop_back();
        return last;
    }

    session_place borrow()
    {
        std::unique_lock lock(mutex_);
        ++borrowers_;
        returned_.wait(lock, [this] { return !idle_.empty(); });
        --borrowers_;
        return take_idle();
    }

    void give_back(session_place one)
    {
        std::lock_guard const lock(mutex_);
        idle_.push_back(std::move(one));
        if (borrowers_ > 0)
            returned_.notify_one();
        if (!queue_.empty())
            called_.notify_one();
    }

    void serve()
    {
        std::unique_lock lock(mutex_);
        for (;;) {
            called_.wait(lock, [this] { return ending_ || (!queue_.empty() && !idle_.empty()); });
            if (ending_)
                return;
            auto const taken = std::move(queue_.front());
            queue_.pop_front();
            auto mine = take_idle();
            lock.unlock();
            auto failure = carry_out(*mine, *taken);
            give_back(std::move(mine));
            taken->done(std::move(failure));
            lock.lock();
        }
    }

    static std::exception_ptr carry_out(kept_session& on, call const& taken)
    {
        try {
            on.run(*taken.work, taken.in_transaction);
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }

    location where_;
    database_settings settings_;
    std::mutex mutex_; // guards the members below
    std::condition_variable called_;
    std::condition_variable returned_;
    std::deque<std::unique_ptr<call>> queue_;
    std::vector<session_place> idle_;
    std::size_t borrowers_ = 0; // that wait
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

} // namespace

bool database::shared_clock() const
{
    return dialect().shared_clock();
}

std::unique_ptr<database> open_database(location const& where, database_settings settings, time_source const& time)
{
    return std::make_unique<real_database>(where, settings, time);
}

} // namespace baton::storage
