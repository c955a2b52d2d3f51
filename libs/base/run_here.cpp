#include "libs/base/run_here.hpp"

namespace baton {

namespace {

thread_local int depth = 0;

} // namespace

bool runs_here() noexcept
{
    return depth > 0;
}

namespace detail {

here::here() noexcept
{
    ++depth;
}

here::~here()
{
    --depth;
}

} // namespace detail

} // namespace baton
