#include "libs/base/hash.hpp"
#include "libs/base/random.hpp"

#include <catch2/catch.hpp>

namespace hash_test {

using namespace baton;

TEST_CASE("FNV-1a gives the numbers that its authors publish")
{
    CHECK(fnv1a_64{}.value() == 0xcbf29ce484222325u);
    CHECK(fnv1a_64{}.add("a").value() == 0xaf63dc4c8601ec8cu);
    CHECK(fnv1a_64{}.add("foobar").value() == 0x85944171f73967e8u);
    CHECK(fnv1a_64{}.add("foo").add('b').add("ar").value() == 0x85944171f73967e8u);
    CHECK(fnv1a_64{}.add("\xff").value() == 0xaf64724c8602eb6eu);
    CHECK(fnv1a_32{}.value() == 0x811c9dc5u);
    CHECK(fnv1a_32{}.add("a").value() == 0xe40c292cu);
    CHECK(fnv1a_32{}.add("foobar").value() == 0xbf9cf968u);
}

TEST_CASE("SplitMix64 gives its known numbers")
{
    CHECK(mix64(0) == 0);
    CHECK(mix64(0x9e3779b97f4a7c15) == 0xe220a8397b1dcdafu);
    CHECK(mix64(UINT64_MAX) == 0xb4d055fcf2cbbd7bu);
    seeded_random random{1'234'567};
    CHECK(random.next() == 0x599ed017fb08fc85u);
    CHECK(random.next() == 0x2c73f08458540fa5u);
    CHECK(random.next() == 0x883ebce5a3f27c77u);
}

} // namespace hash_test
