#include "cli/node_list.hpp"
#include "cli/span.hpp"

#include <catch2/catch.hpp>

namespace node_list_test {

using namespace baton::cli;
using nlohmann::json;

TEST_CASE("a node that is not alive has the role gone")
{
    CHECK(role_of({{"role", "slave"}, {"alive", false}}) == "gone");
    CHECK(role_of({{"role", "slave"}, {"alive", true}}) == "slave");
    CHECK(role_of({{"role", "master"}, {"alive", true}}) == "master");
}

TEST_CASE("a dead process is listed until a live node has its name")
{
    json const dead{{"name", "trigger-1"}, {"incarnation", "old"}, {"alive", false}};
    json const fresh{{"name", "trigger-1"}, {"incarnation", "new"}, {"alive", true}};
    json const other{{"name", "trigger-2"}, {"incarnation", "other"}, {"alive", true}};
    CHECK(nodes_for_people(json::array({dead, other})) == std::vector<json>{dead, other});
    CHECK(nodes_for_people(json::array({dead, fresh, other})) == std::vector<json>{fresh, other});
}

TEST_CASE("a span is written in its two largest units")
{
    CHECK(span_text(0) == "0 ms");
    CHECK(span_text(312) == "312 ms");
    CHECK(span_text(4'250) == "4.2 s");
    CHECK(span_text(687'614) == "11 min 28 s");
    CHECK(span_text(120'000) == "2 min");
    CHECK(span_text(3'600'000 * 3 + 300'000) == "3 h 5 min");
    CHECK(span_text(86'400'000LL * 2 + 3'600'000 * 4) == "2 d 4 h");
    CHECK(span_cell({{"gap_ms", nullptr}}, "gap_ms") == "-");
    CHECK(span_cell({{"gap_ms", 500}}, "gap_ms") == "500 ms");
}

} // namespace node_list_test
