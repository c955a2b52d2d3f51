#include "libs/storage/services.hpp"
#include "tests/unit/storage/tasks_fixture.hpp"

#include <catch2/catch.hpp>

namespace service_settings_store_test {

using namespace baton;
using namespace baton::test;
using protocol::scope_limits;
using storage::engine;
using storage::settings_outcome;

namespace {

protocol::service_settings limited(int concurrency)
{
    return {scope_limits{concurrency, {}}};
}

protocol::service_key const billing{"default", "billing"};

} // namespace

TEST_CASE("the settings of a service have a version, and a change of an older one is refused")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    storage::services services(*bench.shared);
    CHECK(wait_for(services.settings(billing)).version == 0);
    CHECK(wait_for(services.set_settings(billing, 1, limited(3), bench.ids)).outcome ==
          settings_outcome::stale_version);
    auto const first = wait_for(services.set_settings(billing, std::nullopt, limited(3), bench.ids));
    CHECK(first.outcome == settings_outcome::done);
    CHECK(first.now.version == 1);
    auto const second = wait_for(services.set_settings(billing, 1, limited(4), bench.ids));
    CHECK(second.now.version == 2);
    auto const late = wait_for(services.set_settings(billing, 1, limited(5), bench.ids));
    CHECK(late.outcome == settings_outcome::stale_version);
    auto const now = wait_for(services.settings(billing));
    CHECK(now.settings.limits.concurrency == 4);
    CHECK(bench.home.number("SELECT COUNT(*) FROM `signal` WHERE kind = 'settings'") == 2);
}

TEST_CASE("a master reads the settings of all services and projects, a web those of one service and its project")
{
    tasks_fixture bench(GENERATE(engine::mysql, engine::sqlite));
    storage::services services(*bench.shared);
    std::vector<protocol::service_key> const all{billing, {"default", ""}, {"default", "mail"}, {"shop", "billing"}};
    for (auto const& each : all)
        wait_for(services.set_settings(each, std::nullopt, limited(3), bench.ids));
    CHECK(wait_for(bench.ledger.settings()).size() == 4);
    auto const both = wait_for(services.settings_for(billing));
    REQUIRE(both.size() == 2);
    CHECK(both[0].of == protocol::service_key{"default", ""});
    CHECK(both[1].of == billing);
}

} // namespace service_settings_store_test
