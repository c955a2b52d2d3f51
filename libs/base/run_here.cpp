#include "libs/base/run_here.hpp"

namespace baton {

namespace {

thread_local int depth = 0;

// Making a loop costs as much as much of what runs on it. What runs at the end of its thread, after this, makes its
// own.
thread_local bool thread_is_over = false;
struct spare_loop {
    ~spare_loop() { thread_is_over = true; }
    std::unique_ptr<asio::io_context> one;
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
        loop_ = std::move(spare.one);
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
    spare.one = std::move(loop_);
}

} // namespace detail

} // namespace baton
