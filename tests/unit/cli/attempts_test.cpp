#include "cli/attempts.hpp"

#include <catch2/catch.hpp>

namespace attempts_test {

using namespace baton;
using nlohmann::json;

TEST_CASE("attempts that were lost with their client are counted apart from the task's own")
{
    auto const text = [](int attempt, int most, int deaths) {
        return cli::attempts_text({{"attempt", attempt}, {"max_attempts", most}, {"deaths", deaths}});
    };
    CHECK(text(1, 2, 0) == "1/2");
    CHECK(text(2, 3, 1) == "1/2 (1 death)");
    CHECK(text(3, 3, 1) == "2/2 (1 death)");
    CHECK(text(3, 3, 3) == "1/1 (3 deaths)"); // ended by the third
    CHECK(cli::attempts_text(json{{"attempt", 1}, {"max_attempts", 1}}) == "1/1");
}

TEST_CASE("an attempt without an outcome is lost when another followed")
{
    CHECK(cli::outcome_text({{"outcome", nullptr}}, false) == "lost");
    CHECK(cli::outcome_text({{"outcome", nullptr}}, true) == "-");
    CHECK(cli::outcome_text({{"outcome", "failed"}}, false) == "failed");
}

} // namespace attempts_test
