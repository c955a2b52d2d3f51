#include "cli/node_list.hpp"

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

} // namespace node_list_test
