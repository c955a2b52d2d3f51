#pragma once

#include <string>

namespace baton::lock {

struct zookeeper_location {
    std::string hosts; // "host:port,host:port"
    std::string root;  // the parent of all locks: "/chroot/baton-locks"
};

// "zookeeper://host[:port][,host[:port]...][/chroot]". Throws std::invalid_argument. Pure.
zookeeper_location parse_zookeeper_url(std::string const& url);

} // namespace baton::lock
