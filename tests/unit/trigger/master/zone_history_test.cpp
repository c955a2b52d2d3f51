#include "trigger/master/zone_history.hpp"

#include <catch2/catch.hpp>

namespace zone_history_test {

using namespace baton;
using namespace baton::trigger;

namespace {

utc_time at(int hour)
{
    return from_rfc3339("2026-03-01T00:00:00Z") + std::chrono::hours{hour};
}

storage::zone_version version(int number, std::vector<std::string> changed, utc_time line)
{
    storage::zone_version one;
    one.version = number;
    one.changed = std::move(changed);
    one.valid_from = line;
    return one;
}

zone_history const history{version(4, {"B"}, at(4)), version(3, {"A", "B"}, at(3)), version(2, {"A"}, at(2)),
                           version(1, {}, at(1))};

} // namespace

TEST_CASE("the latest version in which each zone has changed")
{
    CHECK(latest_changes(history) == std::map<std::string, int>{{"A", 3}, {"B", 4}});
    CHECK(latest_changes({}).empty());
}

TEST_CASE("a task follows from the earliest line that its next firing does not know")
{
    CHECK(line_of({{"A", 1}}, history) == at(2));
    CHECK(line_of({{"A", 2}}, history) == at(3));
    CHECK(line_of({{"B", 3}}, history) == at(4));
    CHECK(line_of({{"A", 2}, {"B", 3}}, history) == at(3));
    CHECK(line_of({{"A", 3}}, history) == utc_time::max()); // nothing to follow
    CHECK(line_of({{"C", 1}}, history) == utc_time::max());
}

TEST_CASE("a task that another database has planned has no line")
{
    CHECK_FALSE(line_of({{"A", 0}}, history));
    CHECK_FALSE(line_of({{"A", 3}, {"B", 0}}, history));
}

} // namespace zone_history_test
