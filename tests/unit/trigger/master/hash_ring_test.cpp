#include "trigger/master/hash_ring.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace hash_ring_test {

using baton::trigger::hash_ring;

namespace {

std::vector<std::string> names(int count)
{
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i)
        all.push_back("host-" + std::to_string(i) + ":4711");
    return all;
}

hash_ring ring_of(std::vector<std::string> const& members)
{
    return hash_ring({members.begin(), members.end()});
}

constexpr int keys = 20'000;

} // namespace

TEST_CASE("an empty ring has no member, and a single one gets all keys")
{
    CHECK_FALSE(ring_of({}).find(7));
    CHECK(ring_of(names(1)).find(7) == 0u);
    CHECK_FALSE(ring_of(names(1)).find(7, 0));
}

TEST_CASE("keys spread evenly over the members")
{
    auto const members = names(20);
    auto const ring = ring_of(members);
    std::map<std::size_t, int> share;
    for (int key = 0; key < keys; ++key)
        ++share[*ring.find(static_cast<std::uint64_t>(key))];
    REQUIRE(share.size() == members.size());
    for (auto const& [member, count] : share) {
        CHECK(count < 2 * keys / 20);
        CHECK(count > keys / 20 / 2);
    }
}

TEST_CASE("a member that goes moves only its own keys, and one that comes only those that it gets")
{
    auto members = names(10);
    auto const before = ring_of(members);
    auto const gone = members[3];
    members.erase(members.begin() + 3);
    auto const after = ring_of(members);
    int moved = 0;
    for (int i = 0; i < keys; ++i) {
        auto const key = static_cast<std::uint64_t>(i);
        auto const all = names(10);
        auto const& old = all[*before.find(key)];
        auto const& now = members[*after.find(key)];
        if (old != gone)
            CHECK(old == now);
        else
            ++moved;
        CHECK(members[*after.find(key)] == all[*before.find(key, 3)]);
    }
    CHECK(moved > keys / 20);
    CHECK(moved < keys / 5);
}

} // namespace hash_ring_test
