#include "libs/base/run_here.hpp"

namespace baton {

namespace {

thread_local int depth = 0;

// Each thread keeps one loop for its next call, because creating a loop costs as much as a typical call. Calls made
// while the thread's other thread_local objects are destroyed create their own.
thread_local bool thread_is_over = false;
struct spare_loop {
    ~spare_loop() { thread_is_over = true; }
    std::unique_ptr<asio::io_context> loop;
};
thread_local spare_loop spare;

} // namespace

bool runs_here() noexcept
{
    return depth > 0;
}

namespace detail {

here::here()
{
    if (!thread_is_over)
        loop_ = std::move(spare.loop);
    if (!loop_)
        loop_ = std::make_unique<asio::io_context>(1);
    ++depth;
}

here::~here()
{
    --depth;
    if (thread_is_over)
        return;
    loop_->restart();
    spare.loop = std::move(loop_);
}

} // namespace detail

} // namespace baton
