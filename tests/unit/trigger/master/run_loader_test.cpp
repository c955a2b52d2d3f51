#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/run_loader.hpp"

#include <catch2/catch.hpp>

namespace run_loader_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr std::size_t bound = 3;

planner_settings limits()
{
    planner_settings settings;
    settings.overdue_limit = bound;
    return settings;
}

struct fixture : test::term_stage {
    completion_queue ended{open, stage.loop.get_executor()};
    suspect_line suspects{scope()};
    attempts next{scope(), ended, suspects};
    execution_loader::steps steps{[](open_execution&, utc_time) {}, [](open_execution&) {}, [](open_execution&) {},
                                  [](open_execution&) {}, [](open_execution const&) {}};
    execution_loader loader{scope(), book, steps};
    run_loader runs{limits(), scope(), loader, next};

    // Executions of one service in the ledger, which no client takes.
    explicit fixture(int executions, std::string const& cause)
    {
        add_task(1);
        for (int id = 1; id <= executions; ++id)
            add_execution(id, 1);
        exec("UPDATE execution SET cause = '" + cause + "'");
        host.spawn(next.run());
    }
    ~fixture() { stage.end(); }

    void read()
    {
        auto scene = [&]() -> awaitable<void> {
            open_set::reading const seen(open);
            auto const rows = co_await ledger->open(utc_time::max(), {}, 100);
            for (auto const& row : rows)
                runs.load(row, seen);
        };
        stage.play(scene());
        pass(1s);
    }
    auto skipped() { return number("SELECT COUNT(*) FROM execution WHERE state = 'skipped'"); }
};

} // namespace

TEST_CASE("a run now of a service with as many open executions as it may have is skipped, with the reason")
{
    auto const cause = GENERATE("manual", "forced");
    CAPTURE(cause);
    fixture f(5, cause);
    f.read();
    CHECK(f.open.size() == bound);
    CHECK(f.skipped() == 2);
    CHECK(f.text("SELECT MAX(reason) FROM execution WHERE state = 'skipped'") ==
          "service 's' has as many open executions as it may have");
}

TEST_CASE("what a master has taken in is not skipped when its signal is read again")
{
    fixture f(static_cast<int>(bound), "manual");
    f.read();
    f.add_execution(10, 1); // a firing, which the bound does not skip
    f.read();
    f.read();
    CHECK(f.open.size() == bound + 1);
    CHECK(f.skipped() == 0);
}

} // namespace run_loader_test
