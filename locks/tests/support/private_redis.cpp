#include "locks/tests/support/private_redis.hpp"

#include "tests/support/script.hpp"

#include <cstdio>
#include <filesystem>

namespace baton::test {

private_redis::private_redis(std::string options) : options_(std::move(options)), folder_(make_folder("redis"))
{
    start();
}

private_redis::~private_redis()
{
    std::error_code ignored;
    try {
        order("kill");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_redis::start()
{
    url_ = order("start", options_);
}

std::string private_redis::ask(std::string const& command)
{
    return shell("redis-cli -u '" + url_ + "' " + command);
}

std::string private_redis::order(std::string const& what, std::string const& more)
{
    return script("private-redis " + what + " '" + folder_ + "' " + more);
}

} // namespace baton::test
