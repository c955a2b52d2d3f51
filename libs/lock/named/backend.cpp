#include "libs/lock/named/backend.hpp"

#include <stdexcept>

namespace baton::lock {

std::unique_ptr<backend> open_backend(std::string const& url, store_options const& how, backend_parts parts)
{
    auto const scheme = url.substr(0, url.find(':'));
    if (scheme == "mysql" || scheme == "sqlite")
        return open_sql_backend(url, how, parts);
    if (scheme == "zookeeper")
        return open_zookeeper_backend(url, how, parts);
    throw std::invalid_argument("lock store: no store begins with '" + scheme +
                                ":'; known are mysql:, sqlite: and zookeeper:");
}

} // namespace baton::lock
