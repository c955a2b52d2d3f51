#include "trigger/election/followed_master.hpp"

#include <catch2/catch.hpp>

namespace followed_master_test {

using namespace baton;

TEST_CASE("a node follows each other owner of the lock row once, until another owns it")
{
    trigger::followed_master followed("me");
    lease::lease_row row;
    CHECK_FALSE(followed.is_new(row)); // free
    row.owner = "a";
    row.expired = true;
    CHECK_FALSE(followed.is_new(row));
    row.expired = false;
    CHECK(followed.is_new(row));
    CHECK_FALSE(followed.is_new(row));
    row.owner.reset();
    CHECK_FALSE(followed.is_new(row));
    row.owner = "a";
    CHECK_FALSE(followed.is_new(row));
    row.owner = "b";
    CHECK(followed.is_new(row));
    row.owner = "me";
    CHECK_FALSE(followed.is_new(row));
    row.owner = "b";
    CHECK(followed.is_new(row)); // again
}

} // namespace followed_master_test
