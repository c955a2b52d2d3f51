#include "locks/core/store_loop.hpp"

namespace baton::lock {

store_loop::store_loop(time_source& time)
    : tasks_(thread_.executor()), posts_(thread_.executor(), time, tasks_), stop_(thread_.executor())
{}

void store_loop::start()
{
    auto const done = std::make_shared<std::promise<void>>();
    ended_ = done->get_future();
    asio::co_spawn(thread_.executor(), run_tasks(), [done](std::exception_ptr const&) { done->set_value(); });
}

awaitable<void> store_loop::run_tasks()
{
    co_await tasks_.around(stop_.wait());
}

void store_loop::end()
{
    ended_.get();
    thread_.end(); // before the members that its last handlers may refer to
}

} // namespace baton::lock
