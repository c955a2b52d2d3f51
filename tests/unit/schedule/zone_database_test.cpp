#include "libs/schedule/schedule.hpp"
#include "libs/schedule/zone_watch.hpp"
#include "tests/support/zone_files.hpp"

#include <catch2/catch.hpp>

namespace zone_database_test {
namespace {

using namespace baton;
using namespace baton::schedule;

utc_time utc(std::string const& text)
{
    return from_rfc3339(text);
}

std::shared_ptr<zone_database const> read(test::zone_folder const& folder)
{
    auto made = std::make_shared<zone_database>(folder.path());
    made->read_all();
    return made;
}

// The process has its own zones again afterwards.
struct zones_kept {
    zones_in_use before = zones();
    ~zones_kept() { use_zones(before); }
};

timetable daily(std::string const& zone)
{
    protocol::schedule_spec spec;
    spec.kind = protocol::schedule_kind::cron;
    spec.cron = "30 12 * * *";
    spec.zone = zone;
    return timetable(spec, utc("2026-01-01T00:00:00Z"));
}

} // namespace

TEST_CASE("a database has the zones of its folder, UTC, and a version of release and content")
{
    test::zone_folder folder("2025a");
    folder.set("Test/One", 3'600, "LMT-1");
    folder.set("right/Test/One", 3'600, "LMT-1");
    folder.write("zone.tab", "no zone");
    folder.write("SECURITY", "no zone");
    folder.write("Test/Truncated", test::zone_file(3'600, {}, "LMT-1").substr(0, 60));
    auto const first = read(folder);
    CHECK(first->version().starts_with("2025a-"));
    CHECK(first->fingerprints().size() == 3);
    CHECK(first->find("Test/One"));
    CHECK(first->find("UTC"));
    for (auto const* name : {"Test", "right/Test/One", "SECURITY", "zone.tab", "Test/Truncated", "../etc/passwd",
                             "/Test/One", "Test/One/"})
        CHECK_FALSE(first->find(name));
    folder.set("Test/One", 7'200, "LMT-2");
    auto const second = read(folder);
    CHECK(second->version().starts_with("2025a-"));
    CHECK(second->version() != first->version());
    CHECK(changed_zones(first->fingerprints(), second->fingerprints()) == std::vector<std::string>{"Test/One"});
    CHECK(first->find("Test/One")->at(utc("2026-01-01T00:00:00Z")).offset == 3'600s);
}

TEST_CASE("a database reads a file once, so a later change does not mix with it")
{
    test::zone_folder folder("2025a");
    folder.set("Test/One", 3'600, "LMT-1");
    folder.set("Test/Two", 3'600, "LMT-1");
    zone_database const lazy(folder.path());
    CHECK(lazy.find("Test/One"));
    auto const whole = read(folder);
    folder.set("Test/One", 7'200, "LMT-2");
    folder.set("Test/Two", 7'200, "LMT-2");
    CHECK(lazy.find("Test/One")->at(utc_time{}).offset == 3'600s);
    CHECK(whole->find("Test/Two")->at(utc_time{}).offset == 3'600s);
}

TEST_CASE("a watch finds a changed database when two looks see the same files")
{
    test::zone_folder folder("2025a");
    folder.set("Test/One", 3'600, "LMT-1");
    zone_watch watch(folder.path());
    auto const first = watch.look();
    REQUIRE(first);
    CHECK_FALSE(watch.look());
    CHECK_FALSE(watch.is_pending());
    folder.set("Test/One", 7'200, "LMT-2:00:00");
    folder.set_release("2025b");
    CHECK_FALSE(watch.look()); // the package may still be unpacked
    CHECK(watch.is_pending());
    folder.set("Test/Three", 0, "LMT0");
    CHECK_FALSE(watch.look());
    auto const second = watch.look();
    REQUIRE(second);
    CHECK(second->version().starts_with("2025b-"));
    CHECK(second->find("Test/Three"));
    CHECK_FALSE(watch.look());
}

TEST_CASE("a process that takes a database over computes by the old one before the line and by the new one behind")
{
    zones_kept const kept;
    test::zone_folder old_folder("2025a");
    old_folder.set("Test/One", 3'600, "LMT-1");
    old_folder.set("Test/Gone", 3'600, "LMT-1");
    test::zone_folder new_folder("2025b");
    new_folder.set("Test/One", 7'200, "LMT-2");
    auto const older = read(old_folder);
    auto const newer = read(new_folder);
    use_zones({older, 1});
    auto const in_flight = daily("Test/One");
    auto const generation = zones_generation();
    take_over_zones(newer, changed_zones(older->fingerprints(), newer->fingerprints()), utc("2026-03-03T00:00:00Z"), 2);
    CHECK(zones().version == 2);
    CHECK(zones().database->version() == newer->version());
    CHECK(zones_generation() > generation);
    CHECK(zone_exists("Test/Gone")); // tasks that have it go on
    auto const times = daily("Test/One");
    CHECK(times.between(utc("2026-03-01T00:00:00Z"), utc("2026-03-05T00:00:00Z"), 9) ==
          std::vector{utc("2026-03-01T11:30:00Z"), utc("2026-03-02T11:30:00Z"), utc("2026-03-03T10:30:00Z"),
                      utc("2026-03-04T10:30:00Z")});
    CHECK(in_flight.first(utc("2026-03-03T00:00:00Z")) == utc("2026-03-03T11:30:00Z")); // a plan keeps its rules
}

TEST_CASE("where the new rules show a time again behind the line, a daily task fires once")
{
    zones_kept const kept;
    test::zone_folder old_folder("2025a");
    old_folder.set("Test/One", 7'200, "LMT-2");
    test::zone_folder new_folder("2025b");
    new_folder.set("Test/One", 3'600, "LMT-1");
    auto const older = read(old_folder);
    auto const newer = read(new_folder);
    use_zones({older, 1});
    // At the line the clock goes from 12:45 back to 11:45, so 12:30 comes a second time.
    take_over_zones(newer, {"Test/One"}, utc("2026-03-03T10:45:00Z"), 2);
    CHECK(daily("Test/One").between(utc("2026-03-03T00:00:00Z"), utc("2026-03-05T00:00:00Z"), 9) ==
          std::vector{utc("2026-03-03T10:30:00Z"), utc("2026-03-04T11:30:00Z")});
}

} // namespace zone_database_test
