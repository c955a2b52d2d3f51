#include "trigger/clients/results_check.hpp"

#include <catch2/catch.hpp>

namespace results_check_test {

using namespace baton;

TEST_CASE("a result with a status that no client may report is refused with those that it may report")
{
    for (std::string const status : {"success", "planned", "skipped"}) {
        std::string why;
        try {
            trigger::read_results(R"({"instance": "i", "results": [{"execution": 1, "status": ")" + status + "\"}]}");
        } catch (invalid_input const& wrong) {
            CHECK(wrong.field() == "status");
            why = wrong.what();
        }
        CHECK(why == "status must be one of running, succeeded, failed, timed_out, cancelled, not '" + status + "'");
    }
    CHECK(trigger::read_results(R"({"results": [{"execution": 1, "status": "failed"}]})").results.size() == 1);
}

} // namespace results_check_test
