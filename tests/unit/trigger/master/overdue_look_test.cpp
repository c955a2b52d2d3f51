#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/overdue_look.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <set>

namespace overdue_look_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture : test::term_stage {
    overdue_look look{of, *ledger};
    int last_id = 0;

    ~fixture() { stage.end(); }

    // Open executions, due at `at` and the microseconds after it.
    int add(utc_time at, int count = 1)
    {
        auto const first = last_id + 1;
        std::string rows;
        for (int i = 0; i < count; ++i) {
            auto const id = std::to_string(++last_id);
            auto const due = std::to_string(to_micros(at) + i);
            rows += (i == 0 ? "(" : ", (") + id + ", 'p', 1, 1, " + due + ", 0, 'schedule', 'planned', " + due +
                    ", 1, 1, 0, 1, 1)";
        }
        exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
             "attempt, max_attempts, retry_delay_us, epoch, created_at) VALUES " +
             rows);
        return first;
    }

    std::vector<std::int64_t> next()
    {
        auto found = read();
        look.seen();
        return found;
    }
    std::vector<std::int64_t> read()
    {
        std::vector<std::int64_t> found;
        stage.play(read(found));
        return found;
    }
    awaitable<void> read(std::vector<std::int64_t>& found)
    {
        auto const keys = co_await look.next();
        for (auto const& key : keys)
            found.push_back(key.id.value());
    }
    bool sees(std::int64_t id, int calls)
    {
        for (int i = 0; i < calls; ++i) {
            auto const found = next();
            if (std::find(found.begin(), found.end(), id) != found.end())
                return true;
            stage.time.run_for(1s);
        }
        return false;
    }
};

} // namespace

TEST_CASE("an execution is read once it is overdue by a second")
{
    fixture f;
    f.next();
    auto const id = f.add(f.clock.now() + 3s);
    CHECK_FALSE(f.sees(id, 3));
    CHECK(f.sees(id, 3));
}

TEST_CASE("what could not be loaded is read again")
{
    fixture f;
    f.next();
    auto const young = f.add(f.clock.now());
    f.stage.time.run_for(2s);
    CHECK(f.read() == std::vector<std::int64_t>{young});
    CHECK(f.read() == std::vector<std::int64_t>{young});
    f.look.seen();
    CHECK(f.read().empty());
    auto const old = f.add(f.clock.now() - 30min);
    f.stage.time.run_for(70s);
    CHECK(f.read() == std::vector<std::int64_t>{old, young});
    CHECK(f.next() == std::vector<std::int64_t>{old, young});
    CHECK(f.next().empty());
}

TEST_CASE("a call does not read the open executions from their beginning, where a dump keeps those that have ended")
{
    fixture f;
    f.next();
    auto const id = f.add(f.clock.now() - 30min);
    CHECK_FALSE(f.sees(id, 50)); // until the slow look, once a minute
    CHECK(f.sees(id, 20));
}

TEST_CASE("executions that are overdue for long are all read, in turn, a bounded number at a call")
{
    fixture f;
    f.next();
    constexpr int most = 4'000;
    std::set<std::int64_t> missing;
    for (auto const ago : {duration{20s}, duration{30min}, duration{72h}}) {
        auto const first = f.add(f.clock.now() - ago, 2'500);
        for (int i = 0; i < 2'500; ++i)
            missing.insert(first + i);
    }
    for (int calls = 0; !missing.empty() && calls < 300; ++calls) {
        auto const ids = f.next();
        CHECK(ids.size() <= most);
        for (auto const id : ids)
            missing.erase(id);
        f.stage.time.run_for(1s);
    }
    CHECK(missing.empty());
    CHECK(f.sees(f.add(f.clock.now() - 72h), 100)); // and again
}

} // namespace overdue_look_test
