// Slots and redirects of a Redis cluster.

#include "locks/redis/scripts.hpp"
#include "locks/redis/slot.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;

TEST_CASE("a key's slot follows the cluster specification, by the text in its first braces")
{
    CHECK(slot_of("123456789") == 0x31c3);
    CHECK(slot_of("foo") == 12182);
    CHECK(slot_of("{user1000}.following") == slot_of("user1000"));
    CHECK(slot_of("foo{}{bar}") == 8363); // nothing in the first: the whole key
    CHECK(slot_of("foo{{bar}}zap") == slot_of("{bar"));
    CHECK(slot_of("foo{bar}{zap}") == slot_of("bar"));
    CHECK(slot_of("foo}{bar") != slot_of("bar"));
}

TEST_CASE("the keys of one lock share a slot, whatever its name")
{
    for (auto const* name : {"stock", "{a}", "}", "{", "{}", "a}b{c", "%7d"}) {
        CAPTURE(name);
        redis_keys const keys(name);
        CHECK(slot_of(keys.lock) == slot_of(keys.tokens));
        CHECK(slot_of(keys.lock) != slot_of("baton:lock:"));
    }
    CHECK(redis_keys("}").lock != redis_keys("%7d").lock);
}

TEST_CASE("a redirect has an address and is permanent or for one command")
{
    auto const moved = redirect_of("MOVED 3999 127.0.0.1:6381");
    REQUIRE(moved);
    CHECK(moved->for_good);
    CHECK(moved->host == "127.0.0.1");
    CHECK(moved->port == "6381");
    auto const ask = redirect_of("ASK 3999 ::1:6381");
    REQUIRE(ask);
    CHECK_FALSE(ask->for_good);
    CHECK(ask->host == "::1");
    auto const same = redirect_of("MOVED 3999 :6381");
    REQUIRE(same);
    CHECK(same->host.empty());
    CHECK_FALSE(redirect_of("MOVED 3999"));
    CHECK_FALSE(redirect_of("ASKING"));
    CHECK_FALSE(redirect_of("CLUSTERDOWN The cluster is down"));
}
