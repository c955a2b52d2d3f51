#pragma once
// The part of Asio that the project uses everywhere, under one short name.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace baton {

namespace asio = boost::asio;
using boost::system::error_code;

template <class T>
using awaitable = asio::awaitable<T>;

} // namespace baton
