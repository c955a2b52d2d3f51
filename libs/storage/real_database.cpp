#include "libs/base/random.hpp"
#include "libs/storage/detail.hpp"

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <soci/soci.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace baton::storage {

namespace {

constexpr int most_tries = 5;
constexpr duration idle_before_ping = 5s;

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
        : where_(std::move(where)), settings_(settings), time_(time)
    {
        for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.sessions); ++i)
            threads_.emplace_back([this] { serve(); });
    }

    ~real_database() override
    {
        {
            std::lock_guard const lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (auto& thread : threads_)
            thread.join();
        for (auto& left : queue_)
            left->done(std::make_exception_ptr(unavailable("database: closed")));
    }

    storage::engine engine() const override { return where_.engine; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
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
    void submit(std::unique_ptr<call> made)
    {
        {
            std::lock_guard const lock(mutex_);
            if (queue_.size() < settings_.queue_limit) {
                queue_.push_back(std::move(made));
                changed_.notify_one();
                return;
            }
        }
        made->done(std::make_exception_ptr(unavailable("database: too many calls are waiting")));
    }

    std::unique_ptr<call> next()
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
        if (ending_)
            return nullptr;
        auto first = std::move(queue_.front());
        queue_.pop_front();
        return first;
    }

    // A session and when it was last used; the state of one worker.
    struct worker {
        session_ptr session;
        instant used_at;
        seeded_random chance{entropy()};
    };

    void serve()
    {
        worker self;
        while (auto const taken = next()) {
            std::exception_ptr failure;
            try {
                carry_out(self, *taken);
            } catch (session_broken const&) {
                failure = std::current_exception();
                self.session.reset();
            } catch (...) {
                failure = std::current_exception();
            }
            self.used_at = time_.now();
            taken->done(std::move(failure));
        }
    }

    void carry_out(worker& self, call const& taken)
    {
        if (self.session && time_.now() - self.used_at >= idle_before_ping && !self.session->is_connected())
            self.session.reset();
        bool const fresh = !self.session;
        if (fresh)
            self.session = open_session(where_, settings_, time_);
        bool begun = false;
        try {
            run(self, taken, begun);
        } catch (session_broken const&) {
            // The server ended an idle session: nothing of the work has reached it, so a new session may carry it.
            if (fresh || begun)
                throw;
        }
        if (!begun) {
            self.session = open_session(where_, settings_, time_);
            run(self, taken, begun);
        }
    }

    void run(worker& self, call const& taken, bool& begun)
    {
        auto const since = time_.now();
        auto const again = [&](int tries) {
            // A lock time-out has waited for as long as it may already.
            if (tries >= most_tries || time_.now() - since >= std::chrono::seconds{settings_.lock_wait_s})
                return false;
            std::this_thread::sleep_for(duration{1'000 + self.chance.below(4'000) * static_cast<unsigned>(tries)});
            return true;
        };
        run_job(*self.session, *taken.work, taken.in_transaction, again, begun);
    }

    location where_;
    database_settings settings_;
    time_source const& time_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<call>> queue_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

} // namespace

std::unique_ptr<database> open_database(location const& where, database_settings settings, time_source const& time)
{
    return std::make_unique<real_database>(where, settings, time);
}

} // namespace baton::storage
