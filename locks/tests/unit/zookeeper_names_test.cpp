// The URLs of ZooKeeper and the names of its nodes.

#include "locks/zookeeper/node_name.hpp"
#include "locks/zookeeper/url.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace baton::lock;

TEST_CASE("a URL names one or more servers and optionally a chroot")
{
    auto const one = parse_zookeeper_url("zookeeper://one:4000");
    CHECK(one.hosts == "one:4000");
    CHECK(one.root == "/baton-locks");
    auto const many = parse_zookeeper_url("zookeeper://one,[::1]:4000,[::2]/app/of-us");
    CHECK(many.hosts == "one:2181,[::1]:4000,[::2]:2181");
    CHECK(many.root == "/app/of-us/baton-locks");
    CHECK(parse_zookeeper_url("zookeeper://one/").root == "/baton-locks");
}

TEST_CASE("an invalid URL is refused")
{
    for (auto const wrong : {"zookeeper:one", "zookeeper://", "zookeeper://one,,two", "zookeeper://one:",
                             "zookeeper://:1", "zookeeper://one:x", "zookeeper://me:secret@one:1", "zookeeper://one//a",
                             "zookeeper://one/a/", "zookeeper://one/../a", "zookeeper://one/\xc3\xa4"}) {
        INFO(wrong);
        CHECK_THROWS_AS(parse_zookeeper_url(wrong), std::invalid_argument);
    }
}

TEST_CASE("each lock name has its own node name, whatever its bytes")
{
    CHECK(zoo_escaped("stock:42_a-B") == "stock:42_a-B");
    CHECK(zoo_escaped("a/b.c%") == "a%2Fb%2Ec%25");
    CHECK(zoo_escaped("..") == "%2E%2E");
    CHECK(zoo_escaped("\xc3\xa4\x01") == "%C3%A4%01");
}

TEST_CASE("the sequence number is read from the end of a node's name, even after an overflow")
{
    CHECK(zoo_sequence("tag-lock-0000000017") == 17);
    CHECK(zoo_sequence("a-lock-b-lock-2147483647") == 2147483647);
    CHECK(zoo_sequence("tag-lock--2147483648") == -2147483648);
    CHECK_FALSE(zoo_sequence("tag-lock-"));
    CHECK_FALSE(zoo_sequence("tag-lock-17x"));
    CHECK_FALSE(zoo_sequence("other"));
}
