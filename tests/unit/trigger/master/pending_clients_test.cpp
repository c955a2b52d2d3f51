#include "trigger/master/pending_clients.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace pending_clients_test {

using namespace baton::trigger;

namespace {

std::map<std::string, std::uint64_t> homes(pending_clients const& of)
{
    std::map<std::string, std::uint64_t> found;
    of.each_home([&](std::string const& home, std::uint64_t arrival) { found[home] = arrival; });
    return found;
}

using names = std::vector<std::string>;

} // namespace

TEST_CASE("the clients of a home are asked in turn, and those that answered are not asked again")
{
    pending_clients all;
    CHECK(all.empty());
    for (auto const* name : {"a", "b", "c", "d"})
        all.expect(name, "n1");
    CHECK(all.next("n1", "", 3) == names{"a", "b", "c"});
    CHECK(all.next("n1", "c", 3) == names{"d", "a", "b"});
    all.drop("a");
    all.drop("never expected");
    CHECK(all.next("n1", "", 9) == names{"b", "c", "d"});
    CHECK(all.next("n2", "", 9).empty());
    for (auto const* name : {"b", "c", "d"})
        all.drop(name);
    CHECK(all.empty());
    CHECK(homes(all).empty());
}

TEST_CASE("a client that moves is asked at its new home only, which has news then")
{
    pending_clients all;
    all.expect("a", "n1");
    all.expect("b", "n2");
    auto const before = homes(all);
    all.expect("a", "n1"); // nothing new
    CHECK(homes(all) == before);
    all.expect("a", "n2");
    auto const after = homes(all);
    CHECK_FALSE(after.contains("n1"));
    CHECK(after.at("n2") > before.at("n2"));
    CHECK(all.next("n2", "", 9) == names{"a", "b"});
}

} // namespace pending_clients_test
