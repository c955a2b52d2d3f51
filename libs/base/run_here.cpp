#include "libs/base/run_here.hpp"

namespace baton {

namespace {

thread_local int depth = 0;
thread_local std::unique_ptr<asio::io_context> kept; // making one costs as much as much of what runs here

} // namespace

bool runs_here() noexcept
{
    return depth > 0;
}

namespace detail {

here::here() : loop_(std::move(kept))
{
    if (!loop_)
        loop_ = std::make_unique<asio::io_context>(1);
    ++depth;
}

here::~here()
{
    --depth;
    loop_->restart();
    kept = std::move(loop_);
}

} // namespace detail

} // namespace baton
