#include "libs/base/random.hpp"
#include "trigger/master/client_table.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>

namespace client_table_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("the table finds what was added and not removed, and clients stay where they are")
{
    auto const seed = GENERATE(range(1, 6));
    CAPTURE(seed);
    seeded_random random{static_cast<std::uint64_t>(seed)};
    client_table table;
    CHECK(table.find("c1") == nullptr);
    std::map<std::string, listed_client*> expected;
    for (int i = 0; i < 20'000; ++i) {
        auto const name = "c" + std::to_string(random.below(3'000));
        auto const known = expected.find(name);
        if (known == expected.end()) {
            expected[name] = &table.add(name);
        } else if (random.below(2) == 0) {
            table.erase(name);
            expected.erase(known);
        }
    }
    CHECK(table.size() == expected.size());
    for (int i = 0; i < 3'000; ++i) {
        auto const name = "c" + std::to_string(i);
        auto const known = expected.find(name);
        REQUIRE(table.find(name) == (known == expected.end() ? nullptr : known->second));
        if (known != expected.end())
            REQUIRE(table.find(name)->instance() == name);
    }
}

TEST_CASE("a name has any length up to 190 bytes, none too")
{
    CHECK(short_name().view().empty());
    CHECK(short_name("").view().empty());
    std::string const longest(190, 'x');
    CHECK(short_name(longest).view() == longest);
}

} // namespace client_table_test
