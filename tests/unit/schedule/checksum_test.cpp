#include "libs/schedule/checksum.hpp"

#include <catch2/catch.hpp>

namespace checksum_test {

using baton::schedule::checksum;

TEST_CASE("the checksum of the same contents stays the same, since it names a zone database in the ledger")
{
    checksum sum;
    sum.add(-5);
    sum.add("Europe/Rome");
    CHECK(sum.hex() == "902206667bd0aa32");
}

TEST_CASE("texts that follow each other do not run into each other")
{
    checksum one, other;
    one.add("ab");
    one.add("c");
    other.add("a");
    other.add("bc");
    CHECK(one.hex() != other.hex());
}

} // namespace checksum_test
