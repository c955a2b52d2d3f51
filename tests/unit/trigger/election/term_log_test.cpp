#include "libs/sim/sim.hpp"
#include "libs/storage/ledger.hpp"
#include "trigger/election/term_log.hpp"

#include <catch2/catch.hpp>

namespace term_log_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// The term log of a node on a database whose clock is an hour ahead of the node's.
struct fixture {
    sim::stage stage{11};
    sim::host& host = stage.add_host("a");
    std::unique_ptr<storage::database> database;
    std::unique_ptr<storage::database> direct;
    cluster_clock clock{host.time()};
    storage::fence mine{"master", 5};
    int ended = 0;
    std::unique_ptr<term_log> log;

    fixture()
    {
        stage.make_tables();
        stage.database.step_clock(1h);
        direct = stage.database.direct();
        database = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        log =
            std::make_unique<term_log>(term_log::identity{"a:1:boot:x", "a"}, *database, *database, host.time(), clock);
        pass(10s);
        clock.sample(stage.database.utc(), host.time().now(), host.time().now());
        raise(5);
    }
    ~fixture() { stage.end(); }

    void pass(duration span) { stage.time.run_for(span); }

    void raise(std::int64_t epoch)
    {
        storage::ledger ledger(*direct, *direct);
        storage::fence const higher{"master", epoch};
        auto lift = [&]() -> awaitable<void> { co_await ledger.raise(higher); };
        stage.play(lift());
    }

    std::vector<storage::term_record> terms()
    {
        std::vector<storage::term_record> found;
        auto read = [&]() -> awaitable<void> {
            storage::terms all(*direct, *direct);
            found = co_await all.list(mine.name_space, std::nullopt, 10);
        };
        stage.play(read());
        return found;
    }

    void begin()
    {
        host.spawn(log->write_begin(mine), [this] { ++ended; });
    }
    void end(instant last, std::string why)
    {
        host.spawn(log->write_end(mine, last, std::move(why)), [this] { ++ended; });
    }
};

} // namespace

TEST_CASE("a term is logged in the database's time, with the gap since the predecessor's last sign of life")
{
    fixture f;
    auto const won = f.stage.database.utc();
    f.log->won({succession::way::guard, f.host.time().now() - 300ms});
    f.pass(40ms);
    f.log->acts();
    f.log->replayed(3);
    f.pass(1s); // planning comes first
    f.begin();
    f.pass(100ms);
    auto const all = f.terms();
    REQUIRE(all.size() == 1);
    CHECK(f.ended == 1);
    CHECK(all[0].epoch == 5);
    CHECK(all[0].owner == "a:1:boot:x");
    CHECK(all[0].node == "a");
    CHECK(all[0].how == "guard");
    CHECK(all[0].began_at == won);
    CHECK(all[0].acting_at == won + 40ms);
    CHECK(all[0].gap == 340ms);
    CHECK(all[0].replayed == 3);

    auto const last = f.host.time().now() - 50ms;
    auto const last_there = f.stage.database.utc() - 50ms;
    f.end(last, "a clean stop");
    f.pass(100ms);
    CHECK(f.terms().at(0).ended_at == last_there);
    CHECK(f.terms().at(0).why_ended == "a clean stop");
}

TEST_CASE("a database that does not answer delays the logged beginning of a term, and ends nothing")
{
    fixture f;
    f.log->won({succession::way::expired, {}}); // the last master's end is unknown
    f.log->acts();
    f.stage.database.crash_for(5s);
    f.begin();
    f.pass(4s);
    CHECK(f.ended == 0);
    f.pass(4s);
    CHECK(f.ended == 1);
    REQUIRE(f.terms().size() == 1);
    CHECK_FALSE(f.terms()[0].gap);

    f.stage.database.crash_for(5s);
    f.end(f.host.time().now(), "a clean stop");
    f.pass(10s);
    CHECK(f.ended == 2);
    CHECK_FALSE(f.terms().at(0).ended_at); // its successor closes it
}

TEST_CASE("a term whose fence a newer master has raised logs no beginning, and does not end the newer term")
{
    fixture f;
    f.raise(6);
    f.log->won({succession::way::expired, f.host.time().now()});
    f.log->acts();
    f.begin();
    f.pass(1s);
    CHECK(f.ended == 1);
    CHECK(f.terms().empty());
}

} // namespace term_log_test
