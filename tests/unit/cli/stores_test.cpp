#include "cli/stores.hpp"

#include <catch2/catch.hpp>

namespace stores_test {

using namespace baton;
using namespace baton::cli;

TEST_CASE("a refused password names the setting to check")
{
    std::string const refused = "database mysql://u@h:3306/n: Access denied for user 'u'@'h' (using password: YES)";
    CHECK(with_remedy(refused, true) == refused + " (check database.password_file, which is read again at each try)");
    CHECK(with_remedy(refused, false) ==
          refused + " (check the user and the password in database.url and database.password)");
}

TEST_CASE("a user without rights on the database is told apart from a wrong password")
{
    std::string const refused = "database mysql://u@h:3306/n: Access denied for user 'u'@'h' to database 'n'";
    CHECK(with_remedy(refused, true) == refused + " (grant this user the database that database.url names)");
}

TEST_CASE("another reason why the database is not available stays as it is")
{
    CHECK(with_remedy("Can't connect to server on 'h' (111)", true) == "Can't connect to server on 'h' (111)");
}

} // namespace stores_test
