#include "libs/base/outage.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace outage_test {

using namespace baton;

TEST_CASE("a failure whose cause the log has told already is logged for debugging only")
{
    class refused : public unavailable, public told_already {
    public:
        using unavailable::unavailable;
    };
    std::vector<log::level> levels;
    auto const taken = log::take_over([&](log::level which, std::string_view line) {
        if (line == "loop: failed: no")
            levels.push_back(which);
    });
    auto const tell = [](unavailable const& failure) {
        log::outage(failure, "loop", "failed", {log::reason(failure.what())});
    };
    tell(unavailable("no"));
    tell(refused("no"));
    CHECK(levels == std::vector{log::level::warning, log::level::debug});
}

} // namespace outage_test
