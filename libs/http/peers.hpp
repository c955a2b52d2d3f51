#pragma once
// Counts the connections of each peer address. Private to this folder; on the loop only.

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <map>

namespace baton::http {

// The addresses of one IPv6 network of 64 bits count as one peer, because a single host may use all of them. An IPv4
// address counts as itself, also when it is written as an IPv6 one. Loopback has no limit.
class peers {
public:
    explicit peers(std::size_t limit) : limit_(limit) {}

    // Counts a connection of this address. False, and not counted, if the peer has as many as it may have.
    bool enter(boost::asio::ip::address const& from);
    void leave(boost::asio::ip::address const& from); // ends one that was counted

    // True for the first refusal since the peer last had no connection: the one to log.
    bool first_refusal(boost::asio::ip::address const& from);

    std::size_t size() const { return counts_.size(); } // peers with connections

private:
    struct count {
        std::size_t open = 0;
        bool refused = false;
    };

    std::size_t limit_;
    std::map<boost::asio::ip::address, count> counts_;
};

} // namespace baton::http
