// The signals for the master.

#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

namespace signals_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

TEST_CASE("signals are read in order until they are removed")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (3, 'cancel', 30, 1), (1, 'task', 10, 1), "
              "(2, 'run', 20, 1)");
    auto const two = wait_for(signals.pending(20s, utc_time{}, 2));
    REQUIRE(two.size() == 2);
    CHECK(two[0].id == signal_id{1});
    CHECK(two[0].kind == protocol::signal_kind::task);
    CHECK(two[0].subject == 10);
    CHECK(two[1].kind == protocol::signal_kind::run);
    wait_for(signals.remove({signal_id{1}, signal_id{2}, signal_id{99}}));
    wait_for(signals.remove({}));
    auto const left = wait_for(signals.pending(20s, utc_time{}, 10));
    REQUIRE(left.size() == 1);
    CHECK(left[0].kind == protocol::signal_kind::cancel);
}

TEST_CASE("signals are read from a short time back, or from an earlier instant, and those behind that by themselves")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    auto const now = to_micros(system_time().utc());
    auto const at = [&](duration ago) { return std::to_string(now - ago.count()); };
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (3, 'run', 1, " + at(1s) +
              "), (1, 'run', 1, " + at(-1s) + "), (2, 'run', 1, " + at(30s) + "), (4, 'run', 1, " + at(2min) + ")");
    auto const ids = [](std::vector<storage::signal_record> const& found) {
        std::vector<std::int64_t> out;
        for (auto const& one : found)
            out.push_back(one.id.value());
        return out;
    };
    CHECK(ids(wait_for(signals.pending(20s, utc_time::max(), 10))) == std::vector<std::int64_t>{3, 1});
    CHECK(ids(wait_for(signals.pending(20s, from_micros(now) - 1min, 10))) == std::vector<std::int64_t>{2, 3, 1});
    CHECK(ids(wait_for(signals.pending(20s, from_micros(now), 10))) == std::vector<std::int64_t>{3, 1});
    CHECK(ids(wait_for(signals.older(20s, 10))) == std::vector<std::int64_t>{4, 2});
}

TEST_CASE("a signal of an unknown kind does not hide the signals behind it")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::signals signals(*database);
    home.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (1, 'novel', 10, 1), (2, 'run', 20, 1)");
    auto const found = wait_for(signals.pending(20s, utc_time{}, 10));
    REQUIRE(found.size() == 2);
    CHECK_FALSE(found[0].kind);
    CHECK(found[0].text == "novel");
    CHECK(found[1].kind == protocol::signal_kind::run);
}

} // namespace signals_test
