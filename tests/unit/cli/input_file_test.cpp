#include "cli/config/reader.hpp"
#include "cli/input_file.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <unistd.h>

namespace input_file_test {

using namespace baton::cli;

TEST_CASE("a file that the caller names may be a pipe")
{
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    REQUIRE(::write(ends[1], "30 9 * * *", 10) == 10);
    ::close(ends[1]);
    CHECK(read_input_file("/dev/fd/" + std::to_string(ends[0])) == "30 9 * * *");
    ::close(ends[0]);
}

TEST_CASE("an empty file is an empty text")
{
    CHECK(read_input_file("/dev/null").empty());
}

TEST_CASE("a folder, a missing file and a device without an end are refused with their path")
{
    CHECK_THROWS_WITH(read_input_file("/"), "/: cannot be read");
    CHECK_THROWS_WITH(read_input_file("/none/such"), "/none/such: cannot be read");
    CHECK_THROWS_WITH(read_input_file("/dev/zero"), "/dev/zero: has more than 64 MiB; split it");
}

} // namespace input_file_test
