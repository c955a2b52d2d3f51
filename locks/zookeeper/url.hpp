#pragma once

#include <string>

namespace baton::lock {

struct zookeeper_place {
    std::string hosts; // "host:port,host:port"
    std::string root;  // the node of all locks: "/chroot/baton-locks"
};

// "zookeeper://host[:port][,host[:port]...][/chroot]". Throws std::invalid_argument. Pure.
zookeeper_place parse_zookeeper_url(std::string const& url);

} // namespace baton::lock
