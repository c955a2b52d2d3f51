#include "libs/base/loop_thread.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <thread>

namespace baton {

struct loop_thread::state {
    std::shared_ptr<asio::io_context> loop = std::make_shared<asio::io_context>(1);
    asio::executor_work_guard<asio::io_context::executor_type> open{loop->get_executor()};
    std::thread thread{[this] { loop->run(); }};
};

loop_thread::loop_thread() : state_(std::make_unique<state>()) {}

loop_thread::~loop_thread()
{
    end();
}

void loop_thread::end()
{
    state_->loop->stop();
    if (state_->thread.joinable())
        state_->thread.join();
}

asio::any_io_executor loop_thread::executor()
{
    return state_->loop->get_executor();
}

std::shared_ptr<void> loop_thread::context() const
{
    return state_->loop;
}

bool loop_thread::is_this_thread() const
{
    return std::this_thread::get_id() == state_->thread.get_id();
}

} // namespace baton
