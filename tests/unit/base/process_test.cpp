#include "libs/base/log.hpp"
#include "libs/base/process.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace process_test {

using namespace baton;

TEST_CASE("the limit of open files is raised to the hard limit, within a bound, and programs get the first one")
{
    rlimit before{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
    rlimit const low{64, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &low) == 0);
    CHECK(file_limit() == 64);
    std::vector<std::string> said;
    auto const listening = log::take_over([&](log::level, std::string_view line) { said.emplace_back(line); });
    auto const raised = raise_file_limit();
    auto const expected = "process: limit of open files limit=" + std::to_string(raised) + " before=64";
    CHECK(said == std::vector<std::string>{expected});
    CHECK(raised > 64);
    CHECK(raised == file_limit());
    rlimit now{};
    REQUIRE(getrlimit(RLIMIT_NOFILE, &now) == 0);
    CHECK(now.rlim_cur == std::min<rlim_t>(before.rlim_max, most_files));
    CHECK(now.rlim_max == before.rlim_max);
    raise_file_limit();
    CHECK(first_file_bounds().soft == 64);
    CHECK(first_file_bounds().hard == before.rlim_max);
    setrlimit(RLIMIT_NOFILE, &before);
}

} // namespace process_test
