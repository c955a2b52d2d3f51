#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/settings_watch.hpp"

#include <catch2/catch.hpp>

namespace settings_watch_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture : test::term_stage {
    settings_watch watch{scope()};
    std::vector<settings_watch::list> told;

    fixture()
    {
        watch.on_change([this](auto const& all) { told.push_back(all); });
    }
    ~fixture() { stage.end(); }

    void set(std::string const& service, int version)
    {
        exec("INSERT OR REPLACE INTO service_settings (namespace, project, service, version, document, updated_at) "
             "VALUES (1, 'default', '" +
             service + "', " + std::to_string(version) + ", '{}', 1)");
    }
    void read() { stage.play(watch.read()); }
};

settings_watch::list list_of(int version)
{
    return {{{"default", "s"}, version, {}}};
}

} // namespace

TEST_CASE("settings are told when they are read, and again only when some have changed")
{
    fixture f;
    f.read();
    CHECK(f.told.empty()); // there are none
    f.set("s", 1);
    f.read();
    f.read();
    REQUIRE(f.told.size() == 1);
    CHECK(f.told.back() == list_of(1));
    f.set("s", 2);
    f.set("other", 1);
    f.read();
    REQUIRE(f.told.size() == 2);
    CHECK(f.told.back().size() == 2);
    f.exec("DELETE FROM service_settings");
    f.read();
    REQUIRE(f.told.size() == 3);
    CHECK(f.told.back().empty());
}

TEST_CASE("a change is known within a second or so, although no signal tells of it")
{
    fixture f;
    f.host.spawn(f.watch.run());
    f.pass(5s);
    f.set("s", 1);
    f.pass(1100ms);
    CHECK(f.told.size() == 1);
}

TEST_CASE("a change is known after an outage of the database")
{
    fixture f;
    f.host.spawn(f.watch.run());
    f.pass(2s);
    f.stage.database.crash_for(5s);
    f.set("s", 1);
    f.pass(4s);
    CHECK(f.told.empty());
    f.pass(4s);
    CHECK(f.told.size() == 1);
}

TEST_CASE("settings that were read for a signal replace none that were read later")
{
    fixture f;
    f.watch.learn(list_of(2), instant{20s});
    f.watch.learn(list_of(1), instant{10s}); // a reading that began before
    REQUIRE(f.told.size() == 1);
    CHECK(f.told.back() == list_of(2));
    f.watch.learn(list_of(3), instant{20s});
    CHECK(f.told.back() == list_of(3));
}

} // namespace settings_watch_test
