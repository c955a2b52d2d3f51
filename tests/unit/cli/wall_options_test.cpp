#include "cli/wall_options.hpp"

#include <catch2/catch.hpp>

namespace wall_options_test {

using namespace baton::cli;
using nlohmann::json;

TEST_CASE("days of the week are single names and ranges, which may go over Sunday")
{
    CHECK(days_of("mon") == json{"mon"});
    CHECK(days_of("mon-wed,sun") == json{"mon", "tue", "wed", "sun"});
    CHECK(days_of("sat-mon") == json{"sat", "sun", "mon"});
    CHECK(days_of("mon-sun").size() == 7);
    for (auto const* const wrong : {"Monday", "mon-", "-mon", "mon-tue-wed", "mon,,tue", " mon"})
        CHECK_THROWS_AS(days_of(wrong), CLI::ValidationError);
}

} // namespace wall_options_test
