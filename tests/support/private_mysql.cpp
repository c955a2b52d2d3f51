#include "tests/support/private_mysql.hpp"

#include "tests/support/script.hpp"
#include "tests/support/target.hpp"

#include <cstdio>
#include <filesystem>
#include <stdexcept>

namespace baton::test {

namespace {

std::string program()
{
    return chosen_target() == target::mysql9 ? "private-mysql" : "private-mariadb";
}

} // namespace

std::string mysql_server()
{
    need_server();
    auto const given = given_servers(chosen_target() == target::mysql9 ? "BATON_TEST_MYSQL9" : "BATON_TEST_MYSQL");
    if (!given.empty())
        return given.front();
    static private_mysql own;
    return own.url();
}

private_mysql::private_mysql() : folder_((need_server(), make_folder("mysql")))
{
    start();
}

private_mysql::~private_mysql()
{
    std::error_code ignored;
    try {
        order("kill");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_mysql::start()
{
    url_ = start_server(program() + " start '" + folder_ + "'").at(0);
}

void private_mysql::order(std::string const& command) const
{
    script(program() + " " + command + " '" + folder_ + "'");
}

} // namespace baton::test
