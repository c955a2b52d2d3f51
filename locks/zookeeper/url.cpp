#include "locks/zookeeper/url.hpp"

#include <algorithm>
#include <stdexcept>

namespace baton::lock {

namespace {

constexpr char const* zookeeper_scheme = "zookeeper://";

[[noreturn]] void refuse(char const* why)
{
    throw std::invalid_argument(std::string("lock store: zookeeper: ") + why);
}

std::string with_port(std::string const& host)
{
    if (host.empty())
        refuse("a host is missing");
    auto const colon = host.find(':', host.front() == '[' ? host.find(']') : 0);
    if (colon == std::string::npos)
        return host + ":2181";
    auto const port = host.substr(colon + 1);
    if (colon == 0 || port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != std::string::npos)
        refuse("a host must be written host:port");
    return host;
}

// Stricter than ZooKeeper.
void check_chroot(std::string const& path)
{
    if (path.back() == '/' || path.find("//") != std::string::npos || (path + "/").find("/.") != std::string::npos)
        refuse("the chroot must be /name or /name/name");
    if (std::any_of(path.begin(), path.end(), [](char one) { return one <= ' ' || one > '~'; }))
        refuse("the chroot must be of printable ASCII");
}

} // namespace

zookeeper_location parse_zookeeper_url(std::string const& url)
{
    if (!url.starts_with(zookeeper_scheme))
        refuse("must begin with zookeeper://");
    auto const rest = url.substr(std::string(zookeeper_scheme).size());
    if (rest.find_first_of("@?#") != std::string::npos)
        refuse("takes hosts and a chroot, nothing else");
    auto const slash = std::min(rest.find('/'), rest.size());
    zookeeper_location made;
    for (std::size_t from = 0; from <= slash;) {
        auto const comma = std::min(rest.find(',', from), slash);
        made.hosts += (from == 0 ? "" : ",") + with_port(rest.substr(from, comma - from));
        from = comma + 1;
    }
    auto const chroot = rest.substr(slash);
    if (!chroot.empty() && chroot != "/") {
        check_chroot(chroot);
        made.root = chroot;
    }
    made.root += "/baton-locks";
    return made;
}

} // namespace baton::lock
