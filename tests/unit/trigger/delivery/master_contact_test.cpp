// When a node counts as cut off from the master, and what it does then.

#include "libs/sim/sim.hpp"
#include "trigger/delivery/master_contact.hpp"

#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <vector>

namespace master_contact_test {

using namespace baton;
using namespace baton::trigger;

namespace {

instant at(duration since)
{
    return instant{1h + since};
}

} // namespace

TEST_CASE("a master is silent if it has renewed its lease for a while and taken no report for two seconds")
{
    master_sight master{at(0s), at(10s), at(8s)};
    CHECK_FALSE(is_silent(master, at(9'999ms)));
    CHECK(is_silent(master, at(10s)));
    CHECK(is_silent(master, at(20s)));
}

TEST_CASE("a master that has died is not silent, however long its row stays")
{
    CHECK_FALSE(is_silent({at(0s), at(8'400ms), at(8s)}, at(11s)));
    CHECK_FALSE(is_silent({at(0s), at(7s), at(8s)}, at(11s)));
}

TEST_CASE("the two seconds count from the time at which this node knew the master")
{
    CHECK_FALSE(is_silent({at(9s), at(10s), {}}, at(10'500ms)));
    CHECK(is_silent({at(9s), at(11s), {}}, at(11s)));
}

TEST_CASE("a node that was cut off is steady again after five seconds without a silence")
{
    contact_state state;
    state = next_contact(state, false, at(0s));
    CHECK(state.now == contact::steady);
    state = next_contact(state, true, at(1s));
    CHECK(state.now == contact::cut_off);
    state = next_contact(state, false, at(2s));
    CHECK(state.now == contact::returning);
    state = next_contact(state, true, at(5s));
    CHECK(state.now == contact::cut_off);
    state = next_contact(state, false, at(9'999ms));
    CHECK(state.now == contact::returning);
    state = next_contact(state, false, at(10s));
    CHECK(state.now == contact::steady);
}

TEST_CASE("the contact is read from the health of a node, whatever else that holds")
{
    CHECK(contact_in("{}") == contact::steady);
    CHECK(contact_in("") == contact::steady);
    CHECK(contact_in(R"({"contact":"cut_off","loops":[]})") == contact::cut_off);
    CHECK(contact_in(R"({"contact":"returning"})") == contact::returning);
    CHECK(contact_in(R"({"contact":7})") == contact::steady);
    CHECK(contact_in(R"({"loops":["contact"]})") == contact::steady);
    CHECK(contact_in(R"(["contact"])") == contact::steady);
    CHECK(contact_in(R"("contact)") == contact::steady);
}

namespace {

// Node "a", which hears some clients, beside other nodes. The lock row names "b" as the master.
struct fixture {
    explicit fixture(std::vector<std::string> const& names)
    {
        row.owner = "b";
        row.epoch = 1;
        row.ttl = 3s;
        stage.make_tables();
        for (auto const& name : names)
            start(name);
        watches = std::make_unique<home_watches>(*nodes.at(0), home->time(), stage.loop.get_executor());
        part.emplace(master_contact::dependencies{*nodes.at(0), *watches, [this] { return leads; }, [this] { ++shown; },
                                                  home->time()});
        home->spawn(watches->run());
        home->spawn(part->run());
        home->spawn(read_rows());
        home->spawn(send_reports());
        pass(5s);
    }
    ~fixture() { stage.end(); }

    void start(std::string const& name)
    {
        auto& host = stage.add_host(name);
        home = home == nullptr ? &host : home;
        databases.push_back(stage.database.connect(host, {.sessions = 2, .read_limit = 5s}));
        storage::node_record mine;
        mine.incarnation = mine.name = name;
        mine.address = "http://" + name + ":7800";
        mine.started_at = host.time().utc();
        auto const status = [this, name] {
            membership::status now{"slave", 0, 0};
            now.health = healths[name];
            return now;
        };
        healths[name] = "{}";
        nodes.push_back(
            std::make_unique<membership>(membership_settings{}, mine, *databases.back(), host.time(), status));
        host.spawn(nodes.back()->run());
    }
    awaitable<void> read_rows()
    {
        for (;;) {
            if (renews)
                ++row.renew_seq;
            part->read_row(row, home->time().now());
            co_await home->time().sleep_for(1s);
        }
    }
    awaitable<void> send_reports()
    {
        for (;;) {
            if (takes_reports)
                part->took_report(*row.owner);
            co_await home->time().sleep_for(500ms);
        }
    }
    void watch(std::string const& instance) { home->spawn(hold(instance)); }
    awaitable<void> hold(std::string instance)
    {
        for (;;) {
            auto const answer = co_await watches->hold(instance);
            if (answer.move)
                asked.push_back(instance + " to " + answer.to);
            fetches += answer.fetch ? 1 : 0;
            co_await home->time().sleep_for(200ms);
        }
    }
    void pass(duration span) { stage.time.run_for(span); }

    lease::lease_row row;
    bool renews = true;
    bool takes_reports = true;
    bool leads = false;
    int shown = 0; // changes
    std::map<std::string, std::string> healths;
    std::vector<std::string> asked; // to move
    int fetches = 0;                // clients told to fetch
    sim::stage stage{7};
    sim::host* home = nullptr;
    std::vector<std::unique_ptr<storage::database>> databases;
    std::vector<std::unique_ptr<membership>> nodes;
    std::unique_ptr<home_watches> watches;
    std::optional<master_contact> part;
};

using words = std::vector<std::string>;

} // namespace

TEST_CASE("a node whose reports a living master does not take asks its clients to move, and those that stay again")
{
    fixture f({"a", "b"});
    f.watch("x");
    CHECK_FALSE(f.part->refuses("new"));
    f.takes_reports = false;
    f.pass(1'500ms);
    CHECK(f.asked.empty());
    f.pass(2s);
    CHECK(f.asked == words{"x to http://b:7800"});
    CHECK(f.part->state() == contact::cut_off);
    CHECK(f.shown == 1);
    f.watch("y");
    f.pass(1s);
    CHECK(f.asked == words{"x to http://b:7800", "y to http://b:7800"});
    f.pass(10s);
    CHECK(f.asked.size() == 4);
    f.takes_reports = true;
    f.pass(1s);
    CHECK(f.part->state() == contact::returning);
    f.pass(20s);
    CHECK(f.part->state() == contact::steady);
    CHECK(f.asked.size() == 4);
    CHECK(f.shown == 3);
}

TEST_CASE("a client that is asked to move and told to fetch at the same time learns of both")
{
    fixture f({"a", "b"});
    f.watch("x");
    f.pass(1s);
    f.watches->ask("x", {true, "http://b:7800", {}, false});
    f.watches->ask("x", {false, {}, {}, true});
    f.pass(100ms);
    CHECK(f.asked == words{"x to http://b:7800"});
    CHECK(f.fetches == 1);
}

TEST_CASE("a node that is cut off refuses other clients, but not one that keeps asking")
{
    fixture f({"a", "b"});
    f.takes_reports = false;
    f.pass(4s);
    CHECK(f.part->refuses("new"));
    f.pass(3s);
    CHECK(f.part->refuses("new"));
    f.pass(3s);
    CHECK_FALSE(f.part->refuses("new"));
    CHECK(f.part->refuses("newer"));
}

TEST_CASE("a node without another one that can report keeps its clients and takes new ones")
{
    fixture f({"a", "b", "c"});
    f.healths["b"] = f.healths["c"] = R"({"contact":"cut_off"})";
    f.watch("x");
    f.takes_reports = false;
    f.pass(10s);
    CHECK(f.part->state() == contact::cut_off);
    CHECK(f.asked.empty());
    CHECK_FALSE(f.part->refuses("new"));
}

TEST_CASE("a node is not cut off if it leads, if no master lives, or if it stood still itself")
{
    fixture f({"a", "b"});
    f.watch("x");
    SECTION("it leads")
    {
        f.leads = true;
        f.takes_reports = false;
        f.pass(10s);
    }
    SECTION("the master has died")
    {
        f.takes_reports = f.renews = false;
        f.pass(10s);
    }
    SECTION("the row has expired")
    {
        f.takes_reports = false;
        f.row.expired = true;
        f.pass(10s);
    }
    SECTION("another master takes its place")
    {
        f.takes_reports = false;
        f.pass(1'500ms);
        f.row.epoch = 2;
        f.pass(1'500ms);
        f.takes_reports = true;
        f.pass(10s);
    }
    SECTION("it stood still")
    {
        f.home->freeze_for(5s);
        f.pass(10s);
    }
    CHECK(f.part->state() == contact::steady);
    CHECK(f.asked.empty());
    CHECK(f.shown == 0);
}

} // namespace master_contact_test
