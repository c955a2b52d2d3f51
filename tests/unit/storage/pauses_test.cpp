#include "libs/storage/services.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace pauses_test {

using namespace baton;
using namespace baton::test;
using protocol::paused_firings;
using storage::engine;
using storage::pause_outcome;

namespace {

struct fixture : tasks_fixture {
    explicit fixture(engine kind) : tasks_fixture(kind), services(*shared) { create(definition("a")); }
    storage::pause_result pause(protocol::service_key of, paused_firings firings = paused_firings::hold)
    {
        protocol::pause wanted;
        wanted.of = std::move(of);
        wanted.firings = firings;
        wanted.reason = "incident";
        wanted.begun_by = "ann";
        return wait_for(services.pause(wanted, ids));
    }
    storage::services services;
};

protocol::service_key const billing{"default", "billing"};

} // namespace

TEST_CASE("a pause is in force from its beginning to its end, and a service has one at a time")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    auto const begun = bench.pause(billing, paused_firings::skip);
    CHECK(begun.outcome == pause_outcome::done);
    CHECK(bench.pause(billing).outcome == pause_outcome::already);
    CHECK(bench.pause({"default", ""}).outcome == pause_outcome::done);
    CHECK(wait_for(bench.services.pauses_in_force()).size() == 2);
    CHECK(wait_for(bench.ledger.pauses(1h)).size() == 2);
    CHECK(bench.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'pause'") == 2);

    auto const ended = wait_for(bench.services.resume(billing, "bob", bench.ids));
    CHECK(ended.outcome == pause_outcome::done);
    CHECK(ended.pause.ended_by == "bob");
    CHECK(wait_for(bench.services.resume(billing, "bob", bench.ids)).outcome == pause_outcome::not_found);
    CHECK(wait_for(bench.services.pauses_in_force()).size() == 1);
    CHECK(wait_for(bench.ledger.pauses(1h)).size() == 2); // it has ended lately
    CHECK(wait_for(bench.ledger.pauses(-1h)).size() == 1);
    CHECK(bench.pause(billing).outcome == pause_outcome::done);
    CHECK(wait_for(bench.services.history(billing, 10)).size() == 2);
}

TEST_CASE("only services and projects that a task or a client names can be paused")
{
    fixture bench(GENERATE(engine::mysql, engine::sqlite));
    CHECK(bench.pause({"default", "biling"}).outcome == pause_outcome::not_found);
    CHECK(bench.pause({"defaut", ""}).outcome == pause_outcome::not_found);
    CHECK(bench.home.number("SELECT COUNT(*) FROM pause") == 0);
}

} // namespace pauses_test
