#pragma once
// Connecting to a host with several addresses, for the client's connection pool. Private to this folder.

#include "libs/base/asio.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <vector>

namespace baton::http {

// The addresses of the two families in turn, each family in its order; the first one stays first (RFC 8305, section 4).
std::vector<asio::ip::tcp::endpoint> interleaved(std::vector<asio::ip::tcp::endpoint> const& all);

// Tries the addresses one after the other, each 250 ms after the one before or as soon as that has failed, and takes
// the first that connects ("happy eyeballs", RFC 8305, section 5). So an address that does not answer delays the
// connection only by those 250 ms. On the loop only.
class connect_race : public std::enable_shared_from_this<connect_race> {
public:
    using endpoints = std::vector<asio::ip::tcp::endpoint>;
    connect_race(asio::any_io_executor loop, endpoints to);

    // Puts the connected socket into `into`. Otherwise the error of the address that failed last, or operation_aborted
    // after stop(). Call it once; the object must be owned by a shared_ptr.
    awaitable<error_code> connect(asio::ip::tcp::socket& into);

    void stop();

private:
    void try_next();
    void ended(std::size_t which, error_code failed);
    void finish();

    asio::any_io_executor loop_;
    endpoints to_;
    std::vector<std::unique_ptr<asio::ip::tcp::socket>> tried_; // as many of `to_`
    std::size_t open_ = 0;                                      // those that have not ended
    asio::steady_timer head_start_;
    asio::steady_timer done_; // cancelled at the end
    std::unique_ptr<asio::ip::tcp::socket> winner_;
    error_code failed_;
    bool over_ = false;
};

} // namespace baton::http
