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

TEST_CASE("a node that has missed heartbeats is silent, and since when, before it counts as gone")
{
    CHECK(alive_text({{"alive", true}, {"silent", false}, {"age_ms", 900}}) == "yes");
    CHECK(alive_text({{"alive", true}, {"silent", true}, {"age_ms", 2'460}}) == "silent 2.4 s");
    CHECK(alive_text({{"alive", false}, {"silent", false}, {"age_ms", 5'000}}) == "no");
    CHECK(alive_text({{"alive", true}, {"age_ms", 2'460}}) == "yes"); // an older web
}

TEST_CASE("the list of nodes says that there is no master yet, and why")
{
    json lease{{"owner", "host:1"}, {"epoch", 7}, {"age_ms", 250}, {"seconds_left", 2.75}, {"expired", false}};
    CHECK(lease_text(lease) == "lease: epoch 7, renewed 0.2 s ago, 2.8 s left");
    lease["expired"] = true;
    CHECK(lease_text(lease) == "no master yet: the lease of epoch 7 has expired, renewed 0.2 s ago");
    lease["owner"] = nullptr;
    CHECK(lease_text(lease) == "no master yet: the lease is free, its last epoch is 7");
    CHECK(lease_text(nullptr) == "no master yet: no trigger has made the row of the lease, or it cannot be read");
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
