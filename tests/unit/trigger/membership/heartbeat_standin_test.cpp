// A node whose working loop is busy with a long step: its two loops are two hosts here, so that one can be frozen
// alone.

#include "libs/base/loop_link.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/membership/heartbeat_standin.hpp"
#include "trigger/membership/membership.hpp"

#include <catch2/catch.hpp>

namespace heartbeat_standin_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr membership_settings defaults; // a heartbeat a second, gone after four

struct fixture {
    sim::stage stage{5};

    struct process {
        sim::host& working;
        sim::host& electing;
        std::unique_ptr<storage::database> database;
        std::unique_ptr<storage::database> beating;
        std::unique_ptr<membership> view;
        std::unique_ptr<heartbeat_standin> standin;
    };
    std::vector<std::unique_ptr<process>> all;
    bool may_beat = true;

    fixture() { stage.make_tables(); }
    ~fixture() { stage.end(); }

    process& start(std::string const& name)
    {
        auto& working = stage.add_host(name);
        auto& electing = stage.add_host(name);
        auto database = stage.database.connect(working, {.sessions = 1, .read_limit = 10s});
        auto beating = stage.database.connect(electing, {.sessions = 1, .read_limit = 10s});
        storage::node_record row;
        row.incarnation = row.name = row.address = name;
        row.started_at = working.time().utc();
        auto const idle = [] { return membership::status{"slave", 0, 0}; };
        auto view = std::make_unique<membership>(defaults, row, *database, working.time(), idle);
        auto standin = std::make_unique<heartbeat_standin>(defaults, *beating, electing.time(), view->period(),
                                                           [this] { return may_beat; });
        view->on_beat([&electing, to = standin.get()](storage::node_record const& beaten, instant asked) {
            electing.post([to, beaten, asked] { to->beaten(beaten, asked); });
        });
        auto const loop = stage.loop.get_executor();
        loop_ref const here(loop, [&working](std::function<void()> next) { working.post(std::move(next)); });
        loop_ref const there(loop, [&electing](std::function<void()> next) { electing.post(std::move(next)); });
        std::function<awaitable<void>()> const end = [to = standin.get()] { return to->end(); };
        view->before_leaving([here, there, end] { return run_on(there, here, end); });
        working.spawn(view->run());
        electing.spawn(standin->run());
        all.push_back(std::make_unique<process>(
            process{working, electing, std::move(database), std::move(beating), std::move(view), std::move(standin)}));
        return *all.back();
    }

    void pass(duration span) { stage.time.run_for(span); }
};

} // namespace

TEST_CASE("a node whose working loop stands still for longer than its ttl is not gone, and has no lapse")
{
    fixture f;
    auto& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    bool gone = false;
    bool invalid = false;
    f.stage.time.observe([&] {
        gone = gone || b.view->gone("a");
        invalid = invalid || !a.view->valid();
    });
    a.working.freeze_for(4'900ms);
    f.pass(20s);
    f.stage.time.observe({});
    CHECK_FALSE(gone);
    CHECK_FALSE(invalid);
    CHECK(a.view->lapses() == 0);
}

TEST_CASE("a node whose working loop is stuck is gone after its ttl")
{
    fixture f;
    auto& a = f.start("a");
    auto const& b = f.start("b");
    f.pass(10s);
    a.working.freeze_for(60s);
    f.may_beat = false;
    f.pass(6s);
    CHECK(b.view->gone("a"));
    CHECK_FALSE(a.view->valid());
    f.pass(60s);
    CHECK(a.view->valid());
    CHECK(a.view->lapses() == 1);
}

TEST_CASE("the stand-in writes no row after its end, not even one that was under way")
{
    fixture f;
    auto& host = f.stage.add_host("a");
    auto const database = f.stage.database.connect(host, {.sessions = 1, .read_limit = 10s});
    validity valid;
    heartbeat_standin standin(defaults, *database, host.time(), valid, [] { return true; });
    storage::nodes table(*database);
    storage::node_record row;
    row.incarnation = row.name = row.address = "a";
    row.ttl = defaults.ttl;
    standin.beaten(row, host.time().now());
    host.spawn(standin.run());
    f.pass(10s);
    CHECK(valid.valid(host.time().now()));
    std::size_t rows = 1;
    f.stage.database.freeze_for(2s);
    f.pass(1'900ms); // a heartbeat is under way
    auto const leave = [&]() -> awaitable<void> {
        co_await standin.end();
        co_await table.remove("a");
        co_await host.time().sleep_for(10s);
        auto const all = co_await table.all();
        rows = all.size();
    };
    f.stage.play(leave());
    CHECK(rows == 0);
}

} // namespace heartbeat_standin_test
