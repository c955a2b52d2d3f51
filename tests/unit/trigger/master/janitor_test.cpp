#include "libs/sim/sim.hpp"
#include "libs/storage/statement.hpp"
#include "trigger/master/janitor.hpp"

#include <catch2/catch.hpp>

#include <optional>

namespace janitor_test {

using namespace baton;
using namespace baton::trigger;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr duration way = 5ms; // to the database, or back
constexpr int smallest = 50;  // of the pieces, on a database that is as slow as this one

struct fixture {
    sim::stage stage{17};
    sim::host& host = stage.add_host("a");
    std::unique_ptr<storage::database> shared;
    cluster_clock clock{host.time()};
    mastership ship;
    term of{{"master", 5}, ship, host.time(), clock};
    std::optional<janitor> cleaner;
    bool over = false;
    int made = 0;

    explicit fixture(retention_settings how = {})
    {
        stage.make_tables();
        stage.database.faults.min_latency = way;
        stage.database.faults.max_latency = way;
        shared = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        lead();
        cleaner.emplace(how, of, *shared);
    }
    ~fixture() { stage.end(); }

    void pass(duration span) { stage.time.run_for(span); }
    void lead(duration span = 240h) { ship.extend(5, host.time().now(), span, 0s); }

    void begin(duration term_ends = 240h)
    {
        host.spawn(run(term_ends), [this] { over = true; });
    }
    awaitable<void> run(duration term_ends) { co_await (cleaner->run() || host.time().sleep_for(term_ends)); }

    void exec(std::string const& sql)
    {
        auto const text = sql;
        stage.database.inspect([&](soci::session& session) {
            storage::statement change(session);
            change(storage::fragment{text.c_str()});
            change.execute();
        });
    }
    int number(char const* sql)
    {
        int value = 0;
        stage.database.inspect([&](soci::session& session) {
            storage::statement(session).column(storage::fragment{sql}).each([&](storage::row& cells) {
                value = cells.small();
            });
        });
        return value;
    }
    int left() { return number("(SELECT COUNT(*) FROM execution)"); }

    // Executions that were due and ended so long ago.
    void ended(int many, duration ago)
    {
        auto const at = std::to_string(to_micros(stage.database.utc() - ago));
        for (int i = 0; i < many; ++i) {
            auto const id = std::to_string(++made);
            exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                 "attempt, max_attempts, retry_delay_us, epoch, created_at, ended_at) VALUES (" +
                 id + ", 'p', " + id + ", 1, " + at + ", 0, 'schedule', 'succeeded', 1, 1, 0, 1, 1, " + at + ")");
        }
    }
};

constexpr duration day = 24h;

} // namespace

TEST_CASE("a backlog is deleted in pieces that take no more than their share of the time")
{
    fixture f; // a tenth
    f.ended(20 * smallest, 31 * day);
    f.ended(3, 29 * day);
    f.begin();
    f.pass(10s);
    CHECK(f.left() == 20 * smallest + 3); // the term has more urgent things to do
    auto const calls = f.stage.database.calls();
    f.pass(4s);
    auto const busy = (f.stage.database.calls() - calls) * 2 * way;
    CHECK(busy <= 400ms + 8 * way); // and the piece that has just begun
    CHECK(busy >= 400ms - 8 * way);
    CHECK(f.left() <= 11 * smallest + 3);
    CHECK(f.left() >= 9 * smallest + 3);
    f.pass(6s);
    CHECK(f.left() == 3);
    auto const done = f.stage.database.calls();
    f.pass(50s);
    CHECK(f.stage.database.calls() <= done + 4); // nothing to do: one look a minute
}

TEST_CASE("executions that grow old during a term are deleted soon, and one that was open within the hour")
{
    fixture f;
    f.ended(2, 30 * day - 10min);
    f.ended(1, 30 * day + 1h);
    f.exec("UPDATE execution SET due_at = 1 WHERE id = 3");
    f.begin();
    f.pass(9min);
    CHECK(f.left() == 3);
    f.pass(3min);
    CHECK(f.left() == 1);
    f.exec("UPDATE execution SET due_at = NULL WHERE id = 3");
    f.pass(62min);
    CHECK(f.left() == 0);
}

TEST_CASE("after the end of a term nothing is deleted, and the next term deletes the rest")
{
    fixture f;
    f.ended(20 * smallest, 31 * day);
    f.begin(12s);
    f.pass(12s + 8 * way);
    CHECK(f.over);
    auto const left = f.left();
    CHECK(left > 0);
    CHECK(left < 20 * smallest);
    f.pass(1h);
    CHECK(f.left() == left);

    f.cleaner.emplace(retention_settings{}, f.of, *f.shared);
    f.begin();
    f.pass(30s);
    CHECK(f.left() == 0);
}

TEST_CASE("while the term is suspended nothing is deleted")
{
    fixture f;
    f.ended(20 * smallest, 31 * day);
    f.lead(12s);
    f.begin();
    f.pass(12s);
    auto const left = f.left();
    CHECK(left < 20 * smallest);
    CHECK(left > 0);
    f.pass(1h);
    CHECK(f.left() == left);
    f.lead();
    f.pass(30s);
    CHECK(f.left() == 0);
}

TEST_CASE("after a failure of the database the janitor pauses for a minute")
{
    fixture f;
    f.ended(20 * smallest, 31 * day);
    f.begin();
    f.pass(11s);
    auto const left = f.left();
    f.stage.database.crash_for(5s);
    f.pass(30s);
    CHECK_FALSE(f.over);
    CHECK(f.left() == left);
    f.pass(60s);
    CHECK(f.left() == 0);
}

TEST_CASE("with executions kept for ever, old keys and old terms are still deleted")
{
    retention_settings how;
    how.keep = 0s;
    fixture f(how);
    f.ended(3, 1'000 * day);
    f.exec(
        "INSERT INTO idempotency (project, `key`, fingerprint, execution_id, created_at) VALUES ('p', 'k', 'f', 1, 1)");
    f.exec("INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, replayed) "
           "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1200) "
           "SELECT 'master', x, 'o', 'n', 'free', 1, 1, 0 FROM n");
    f.begin();
    f.pass(30s);
    CHECK(f.left() == 3);
    CHECK(f.number("(SELECT COUNT(*) FROM idempotency)") == 0);
    CHECK(f.number("(SELECT COUNT(*) FROM term)") == 1'000);
}

TEST_CASE("the rest after a piece leaves the work its share of the time")
{
    CHECK(rest_after(10ms, 10) == 90ms);
    CHECK(rest_after(10ms, 50) == 10ms);
    CHECK(rest_after(10ms, 1) == 990ms);
    CHECK(rest_after(0ms, 50) > 0ms);
}

TEST_CASE("pieces shrink to a floor while they take long, and grow again up to a bound")
{
    CHECK(next_size(500, 21ms, 20ms, 500) == 250);
    CHECK(next_size(50, 1s, 20ms, 500) == 50);
    CHECK(next_size(10, 1s, 20ms, 10) == 10);
    CHECK(next_size(250, 15ms, 20ms, 500) == 250);
    CHECK(next_size(250, 5ms, 20ms, 500) == 500);
    CHECK(next_size(400, 5ms, 20ms, 500) == 500);
}

} // namespace janitor_test
