#include "locks/tests/support/private_redis_groups.hpp"

#include "tests/support/script.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace baton::test {

private_redis_group::private_redis_group(std::string program, std::string const& options)
    : script_(std::move(program)),
      folder_(make_folder("redis")),
      url_(script(script_ + " start '" + folder_ + "' " + options))
{}

private_redis_group::~private_redis_group()
{
    std::error_code ignored;
    try {
        script(script_ + " stop '" + folder_ + "'");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

std::string private_redis_group::port(std::string const& name) const
{
    std::ifstream file(folder_ + "/" + name + "/url");
    std::string url;
    file >> url;
    return url.substr(url.rfind(':') + 1);
}

// Asks a second time, since a server that a failover has just demoted closes its connections once.
std::string private_redis_group::ask(std::string const& name, std::string const& command) const
{
    auto const asked = "redis-cli -p " + port(name) + " " + command;
    return shell(asked + " || " + asked);
}

std::string private_redis_group::order(std::string const& command, std::string const& name,
                                       std::string const& more) const
{
    return script("private-redis " + command + " '" + folder_ + "/" + name + "' " + more);
}

std::string private_redis_sentinels::master() const
{
    return std::filesystem::path(script(script_ + " master '" + folder_ + "'")).filename();
}

} // namespace baton::test
