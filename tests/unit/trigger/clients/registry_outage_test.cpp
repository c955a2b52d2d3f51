#include "tests/unit/trigger/clients/two_nodes.hpp"

#include <catch2/catch.hpp>

namespace registry_outage_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("a client that fell silent during a short outage of the database is gone soon after")
{
    two_nodes f;
    auto const quiet_since = f.stage.time.utc();
    f.pass(6s);
    f.note(*f.a, quiet_since, f.settings.ttl() - 9s); // so that its end is the next thing to be written
    f.stage.database.crash_for(1'200ms);              // too short to count as time in which no client could be heard
    f.note(*f.a, quiet_since, 4s);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a node that was stopped for longer than the clients' ttl declares no live client gone")
{
    two_nodes f;
    f.a->time.stop_for(20s);
    f.pass(20s + 4s); // until the next heartbeat comes
    CHECK(f.knows(*f.a));
    CHECK(f.beat(*f.a));

    f.a->time.stop_for(20s);
    f.pass(20s + 20s); // this time none comes
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a client that changed its node during an outage of the database has its whole ttl to be adopted")
{
    two_nodes f;
    f.stage.database.crash_for(21s);
    for (int beats = 0; beats < 5; ++beats) {
        f.pass(4s);
        CHECK_FALSE(f.beat(*f.b)); // which cannot write down that it hears it
    }
    for (int beats = 0; beats < 5; ++beats) {
        f.pass(4s);
        CHECK(f.beat(*f.b));
    }
    CHECK(f.knows(*f.b));
}

TEST_CASE("an outage that begins right after a note leaves the clients their whole ttl")
{
    two_nodes f(1'100ms);
    auto const before = f.stage.time.utc();
    for (int second = 0; second < 8; ++second) {
        CHECK(f.beat(*f.a));
        f.note(*f.a, before, 1s);
    }
    CHECK(f.beat(*f.a));
    f.a->clients.note(before, f.stage.time.utc(), f.stage.time.now());
    auto const out = f.stage.time.now();
    auto const pass_until = [&](duration after) { f.pass(out + after - f.stage.time.now()); };
    f.stage.database.crash_for(3'900ms);
    for (auto const after : {900ms, 1'900ms, 2'900ms}) {
        pass_until(after);
        CHECK_FALSE(f.beat(*f.b)); // which cannot write down that it hears it
    }
    pass_until(4'700ms);
    CHECK(f.beat(*f.b));
    f.pass(2s);
    CHECK(f.knows(*f.b));
}

TEST_CASE("the table is not read while notes say that nothing has changed, and a change is read at once")
{
    two_nodes f;
    auto const before = f.move_unnoticed();
    auto const asked = f.a->clients.read_at();
    f.note(*f.a, before, 3s);
    CHECK(f.knows(*f.a));
    CHECK(f.a->clients.read_at() > asked); // as if it had asked
    f.a->clients.note(f.stage.time.utc(), f.stage.time.utc(), f.stage.time.now());
    f.pass(10ms);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("the table is read again when the notes cease")
{
    two_nodes f;
    f.move_unnoticed();
    f.pass(4s);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a change is read even if the database's clock was set back and the change is not the latest in the table")
{
    two_nodes f;
    auto const before = f.move_unnoticed();
    f.note(*f.a, before, 1s, 1h);
    CHECK_FALSE(f.knows(*f.a));
}

} // namespace registry_outage_test
