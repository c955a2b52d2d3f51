#include "libs/base/error.hpp"
#include "trigger/election/decide.hpp"
#include "trigger/election/mastership.hpp"
#include "trigger/settings.hpp"

#include <catch2/catch.hpp>

namespace settings_test {

using namespace baton;
using namespace baton::trigger;

namespace {

settings usable()
{
    settings how;
    how.name = "n";
    how.address = "http://127.0.0.1:7800";
    return how;
}

std::string refused_for(settings const& how)
{
    try {
        require_valid(how);
    } catch (invalid_input const& failure) {
        return failure.field();
    }
    return "";
}

} // namespace

TEST_CASE("the default settings are valid")
{
    CHECK(refused_for(usable()).empty());
}

TEST_CASE("a name or address that the table of nodes cannot hold is refused")
{
    auto how = usable();
    how.name = std::string(100, 'n');
    CHECK(refused_for(how).empty());
    how.name += 'n';
    CHECK(refused_for(how) == "name");

    how = usable();
    how.address += '/' + std::string(255, 'a');
    CHECK(refused_for(how) == "address");
}

TEST_CASE("settings that contradict each other are refused, and the error names the key")
{
    auto how = usable();
    how.election.ttl = 2s; // two ticks, but no margin
    CHECK(refused_for(how) == "election.ttl");

    how = usable();
    how.planner.edit_lead = 400ms; // an edit could overtake the reading of it
    CHECK(refused_for(how) == "planner.edit_lead");

    how = usable();
    how.membership.ttl = 2s;
    CHECK(refused_for(how) == "membership.ttl");

    how = usable();
    how.address.clear();
    CHECK(refused_for(how) == "address");
}

TEST_CASE("guard settings are refused if pings could not keep the guard or a waiting session would be ended")
{
    auto how = usable();
    how.guard.ping = 136ms; // two pings must fit into 300 ms less 30 ms
    CHECK(refused_for(how) == "guard.ping");
    how.guard = {};
    how.guard.margin = 151ms;
    CHECK(refused_for(how) == "guard.margin");
    how.guard = {};
    how.guard.wait = 1'100ms;
    CHECK(refused_for(how) == "guard.silence");
    how.guard.silence = 2'500ms;
    CHECK(refused_for(how) == "guard.silence"); // no whole seconds
    how.guard.silence = 3s;
    CHECK(refused_for(how).empty());
}

TEST_CASE("with any guard and lease that are valid, a master has time to act at every moment between its pings")
{
    std::vector<settings> all;
    for (auto const wait : {100ms, 101ms, 150ms, 300ms, 1'000ms, 10'000ms})
        for (auto const margin : {5ms, 10ms, 30ms, 75ms, 150ms, 5'000ms})
            for (auto const ping : {10ms, 25ms, 60ms, 75ms, 135ms, 2'000ms})
                for (auto const tick : {50ms, 75ms, 1'000ms}) {
                    auto& how = all.emplace_back(usable());
                    how.guard = {true, wait, ping, margin, 20s};
                    how.election.tick = tick;
                    how.election.margin = 10ms;
                    how.election.ttl = 2 * tick + 10ms;
                }
    int valid = 0;
    for (auto const& how : all) {
        if (!refused_for(how).empty())
            continue;
        ++valid;
        auto const room = room_for_acts(how.election, how.guard);
        CHECK(room >= 30ms);
        mastership ship;
        instant const asked{
            1'000s}; // of the last acknowledged renewal and ping; the next ones are about to be answered
        ship.guard(asked + shrunk(how.guard.wait) - how.guard.margin);
        ship.extend(7, asked, 60s, 0s);
        CHECK(ship.active(7, asked + how.guard.ping + 10ms, room));
        ship.guard(mastership::unguarded);
        ship.extend(7, asked, how.election.ttl, how.election.margin);
        CHECK(ship.active(7, asked + how.election.tick + 10ms, room));
    }
    CHECK(valid > 50);
    CHECK(room_for_acts({}, {}) > 140ms);
}

TEST_CASE("a guard that leaves its master no time between two pings is refused")
{
    auto how = usable();
    how.guard.wait = 150ms;
    how.guard.ping = 60ms;
    CHECK(refused_for(how).empty());
    how.guard.margin = 41ms;
    how.guard.ping = 54ms;
    CHECK(refused_for(how).empty());
    how.guard.wait = 140ms;
    how.guard.ping = 49ms;
    how.guard.margin = 42ms;
    CHECK(refused_for(how) == "guard.wait");
    how.guard = {};
    how.guard.wait = 99ms;
    CHECK(refused_for(how) == "guard.wait");
}

TEST_CASE("retention is unlimited or at least an hour")
{
    auto how = usable();
    how.retention.keep = 0s;
    CHECK(refused_for(how).empty());
    how.retention.keep = 59min;
    CHECK(refused_for(how) == "retention.keep");
    how.retention.keep = 1h;
    CHECK(refused_for(how).empty());
    how.retention.share = 0;
    CHECK(refused_for(how) == "retention.share");
}

} // namespace settings_test
