#pragma once
// Locks for coroutines and other completion tokens of Boost.Asio: nothing blocks, and what waits resumes where it was.
// A cancellation of the operation ends the wait with lock_errc::cancelled; what was granted in the same moment is given
// back. The lock stays where it is while an operation on it is in progress. The library's thread posts to your loop:
// close the store before you destroy the loop.

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/system_executor.hpp>

#include <baton/lock/named_lock.hpp>
#include <exception>
#include <memory>
#include <utility>

namespace baton::lock::detail {

// A handler on its way to the library's thread and back to its own executor.
template <class Handler>
class pending {
    using executor = boost::asio::associated_executor_t<Handler, boost::asio::system_executor>;

public:
    explicit pending(Handler handler)
        : handler_(std::move(handler)),
          work_(boost::asio::get_associated_executor(handler_, boost::asio::system_executor()))
    {}

    std::stop_token watch()
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected())
            slot.assign([stop = stop_](boost::asio::cancellation_type) mutable { stop.request_stop(); });
        return stop_.get_token();
    }

    bool cancelled() const { return stop_.stop_requested(); }

    template <class... Results>
    static void finish(std::shared_ptr<pending> self, Results... results)
    {
        auto const where = self->work_.get_executor();
        boost::asio::post(where, [self = std::move(self), ... results = std::move(results)]() mutable {
            call(std::move(self), std::move(results)...);
        });
    }

    // Where the caller lives, so that no cancellation comes between the look and the answer.
    static void finish_lock(std::shared_ptr<pending> self, named_lock& by, std::exception_ptr failure, bool granted)
    {
        auto const where = self->work_.get_executor();
        boost::asio::post(where, [self = std::move(self), &by, failure = std::move(failure), granted]() mutable {
            if (granted && self->cancelled()) {
                by.start_unlock([](release_result) {});
                failure = std::make_exception_ptr(std::system_error(make_error_code(lock_errc::cancelled)));
                granted = false;
            }
            call(std::move(self), std::move(failure), granted);
        });
    }

private:
    template <class... Results>
    static void call(std::shared_ptr<pending> self, Results... results)
    {
        auto slot = boost::asio::get_associated_cancellation_slot(self->handler_);
        if (slot.is_connected())
            slot.clear();
        auto handler = std::move(self->handler_);
        self.reset();
        std::move(handler)(std::move(results)...);
    }

    Handler handler_;
    boost::asio::executor_work_guard<executor> work_;
    std::stop_source stop_;
};

} // namespace baton::lock::detail

namespace baton::lock {

// Completes with (std::exception_ptr, bool).
template <class Token>
auto named_lock::async_try_lock_for(std::chrono::microseconds span, Token&& token)
{
    return boost::asio::async_initiate<Token, void(std::exception_ptr, bool)>(
        [this, span](auto handler) {
            using pending = detail::pending<decltype(handler)>;
            auto const waits = std::make_shared<pending>(std::move(handler));
            start_lock(span, waits->watch(), [this, waits](std::exception_ptr failure, bool granted) mutable {
                pending::finish_lock(std::move(waits), *this, std::move(failure), granted);
            });
        },
        token);
}

// Completes with (std::exception_ptr, bool): true, or the exception says why not.
template <class Token>
auto named_lock::async_lock(Token&& token)
{
    return async_try_lock_for(std::chrono::microseconds::max(), std::forward<Token>(token));
}

// Completes with (release_result).
template <class Token>
auto named_lock::async_unlock(Token&& token)
{
    return boost::asio::async_initiate<Token, void(release_result)>(
        [this](auto handler) {
            using pending = detail::pending<decltype(handler)>;
            auto waits = std::make_shared<pending>(std::move(handler));
            start_unlock([waits](release_result how) mutable { pending::finish(std::move(waits), how); });
        },
        token);
}

} // namespace baton::lock
