// In place of the other files of this folder where the C client was not found.

#include "libs/lock/named/backend.hpp"

#include <stdexcept>

namespace baton::lock {

std::unique_ptr<backend> open_zookeeper_backend(std::string const&, store_options const&, backend_parts)
{
    throw std::invalid_argument("lock store: this build has no ZooKeeper: zookeeper_mt was not found when it was "
                                "configured (Debian: libzookeeper-mt-dev)");
}

} // namespace baton::lock
