#pragma once
// Locks for coroutines and other completion tokens of Boost.Asio. No call blocks; the caller resumes on its own
// executor. Cancelling an operation ends its wait with lock_errc::cancelled, and a lock granted at the same moment is
// released. Do not move the lock while an operation is outstanding. The library's thread posts to the caller's loop:
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

// A handler while its operation runs on the library's thread. It completes on its own executor.
template <class Handler>
class pending_operation {
    using executor = boost::asio::associated_executor_t<Handler, boost::asio::system_executor>;

public:
    explicit pending_operation(Handler handler)
        : handler_(std::move(handler)),
          work_(boost::asio::get_associated_executor(handler_, boost::asio::system_executor()))
    {}

    std::stop_token connect_cancellation()
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler_);
        if (slot.is_connected())
            slot.assign([stop = stop_](boost::asio::cancellation_type) mutable { stop.request_stop(); });
        return stop_.get_token();
    }

    bool cancelled() const { return stop_.stop_requested(); }

    template <class... Results>
    static void finish(std::shared_ptr<pending_operation> self, Results... results)
    {
        auto const executor = self->work_.get_executor();
        boost::asio::post(executor, [self = std::move(self), ... results = std::move(results)]() mutable {
            complete(std::move(self), std::move(results)...);
        });
    }

    // Checks for a cancellation on the caller's executor, where none can come between the check and the completion.
    static void finish_lock(std::shared_ptr<pending_operation> self, named_lock& lock, std::exception_ptr failure,
                            bool granted)
    {
        auto const executor = self->work_.get_executor();
        boost::asio::post(executor, [self = std::move(self), &lock, failure = std::move(failure), granted]() mutable {
            if (granted && self->cancelled()) {
                lock.start_unlock([](release_result) {});
                failure = std::make_exception_ptr(std::system_error(make_error_code(lock_errc::cancelled)));
                granted = false;
            }
            complete(std::move(self), std::move(failure), granted);
        });
    }

private:
    template <class... Results>
    static void complete(std::shared_ptr<pending_operation> self, Results... results)
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

// Completes with (std::exception_ptr, bool): false if the time ended.
template <class Token>
auto named_lock::async_try_lock_for(std::chrono::microseconds span, Token&& token)
{
    return boost::asio::async_initiate<Token, void(std::exception_ptr, bool)>(
        [this, span](auto handler) {
            using operation = detail::pending_operation<decltype(handler)>;
            auto const pending = std::make_shared<operation>(std::move(handler));
            start_lock(span, pending->connect_cancellation(),
                       [this, pending](std::exception_ptr failure, bool granted) mutable {
                           operation::finish_lock(std::move(pending), *this, std::move(failure), granted);
                       });
        },
        token);
}

// Completes with (std::exception_ptr, bool): true, or an exception.
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
            using operation = detail::pending_operation<decltype(handler)>;
            auto pending = std::make_shared<operation>(std::move(handler));
            start_unlock([pending](release_result result) mutable { operation::finish(std::move(pending), result); });
        },
        token);
}

} // namespace baton::lock
