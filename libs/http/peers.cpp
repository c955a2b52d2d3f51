#include "libs/http/peers.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <utility>

namespace baton::http {

namespace {

namespace ip = boost::asio::ip;

ip::address peer_of(ip::address const& from)
{
    if (from.is_v4())
        return from;
    auto const v6 = from.to_v6();
    if (v6.is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, v6);
    auto bytes = v6.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), static_cast<unsigned char>(0));
    return ip::address_v6(bytes);
}

bool is_local(ip::address const& from)
{
    return from.is_loopback() || peer_of(from).is_loopback();
}

} // namespace

bool peers::enter(ip::address const& from)
{
    if (is_local(from))
        return true;
    auto const peer = peer_of(from);
    auto const found = counts_.find(peer);
    if (found != counts_.end() && found->second.open >= limit_)
        return false;
    ++counts_[peer].open;
    return true;
}

void peers::leave(ip::address const& from)
{
    auto const found = counts_.find(peer_of(from));
    if (found != counts_.end() && --found->second.open == 0)
        counts_.erase(found);
}

bool peers::first_refusal(ip::address const& from)
{
    auto const found = counts_.find(peer_of(from));
    return found != counts_.end() && !std::exchange(found->second.refused, true);
}

} // namespace baton::http
