#include "libs/storage/cluster_secret.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

namespace cluster_secret_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

TEST_CASE("all nodes of a database get the secret that the first of them offered")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const first = home.migrated().open();
    auto const second = home.open();
    CHECK(wait_for(storage::cluster_secret(*first, "one")) == "one");
    CHECK(wait_for(storage::cluster_secret(*second, "two")) == "one");
    CHECK(wait_for(storage::cluster_secret(*first, "three")) == "one");
}

} // namespace cluster_secret_test
