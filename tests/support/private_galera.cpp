#include "tests/support/private_galera.hpp"

#include "tests/support/script.hpp"
#include "tests/support/target.hpp"

#include <cstdio>
#include <filesystem>

namespace baton::test {

namespace {

std::vector<std::string> find_servers()
{
    if (auto given = given_servers("BATON_TEST_GALERA"); !given.empty())
        return given;
    static private_galera own;
    return own.urls();
}

} // namespace

std::vector<std::string> const& galera_servers()
{
    static auto const servers = find_servers();
    return servers;
}

private_galera::private_galera()
    : folder_(make_folder("galera")), urls_(start_server("private-galera start '" + folder_ + "'"))
{}

private_galera::~private_galera()
{
    std::error_code ignored;
    try {
        script("private-galera stop '" + folder_ + "'");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_galera::order(std::string const& command, int node)
{
    script("private-galera " + command + " '" + folder_ + "' " + std::to_string(node + 1));
}

} // namespace baton::test
