#include "libs/base/log.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/term_parts.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <stdexcept>

namespace term_parts_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// A part that does a step every 10 ms. The test says when it fails, and how.
struct fake_part {
    explicit fake_part(time_source& clock) : time(clock) {}

    awaitable<void> run()
    {
        ++starts;
        for (;;) {
            if (fail)
                fail();
            ++steps;
            co_await time.sleep_for(10ms);
        }
    }

    time_source& time;
    std::function<void()> fail;
    int starts = 0;
    int steps = 0;
};

struct fixture : test::term_stage {
    term_parts parts{of, stage.loop.get_executor()};
    fake_part first{host.time()};
    fake_part second{host.time()};
    std::vector<std::string> lines;
    std::shared_ptr<void> listening = log::take_over([this](log::level which, std::string_view line) {
        if (which != log::level::debug)
            lines.emplace_back(line);
    });
    bool returned = false;
    bool ours = true;
    std::string failure;

    fixture()
    {
        parts.add("first", [this] { return first.run(); });
        parts.add("second", [this] { return second.run(); });
    }
    ~fixture() { stage.end(); }

    void run() { host.spawn(watched()); }
    awaitable<void> watched()
    {
        try {
            ours = co_await parts.run();
            returned = true;
        } catch (part_failed const& why) {
            failure = why.what();
        }
    }
    std::int64_t lines_with(std::string const& text) const
    {
        return std::count_if(lines.begin(), lines.end(),
                             [&](auto const& line) { return line.find(text) != line.npos; });
    }
};

[[noreturn]] void fail_for_test()
{
    throw std::logic_error("the cause");
}

} // namespace

TEST_CASE("a part that fails once is logged with its cause and starts again, and the other parts go on")
{
    fixture f;
    f.run();
    f.pass(1s);
    f.second.fail = [&] {
        f.second.fail = nullptr;
        fail_for_test();
    };
    auto const before = f.first.steps;
    f.pass(1s);
    CHECK(f.first.starts == 1);
    CHECK(f.first.steps >= before + 90);
    CHECK(f.second.starts == 2);
    CHECK(f.lines_with("a part of the master failed") == 1);
    CHECK(f.lines_with("the cause part=second") == 1);
    auto const troubles = f.parts.troubles();
    REQUIRE(troubles.size() == 1);
    CHECK(troubles.front().part == "second");
    CHECK(troubles.front().cause == "the cause");
    CHECK(troubles.front().since >= f.start + 1s);
    f.pass(31s);
    CHECK(f.parts.troubles().empty());
    CHECK(f.lines_with("a part of the master works again part=second") == 1);
    CHECK_FALSE(f.returned);
}

TEST_CASE("a part that always fails starts again after growing pauses, and each of its causes is logged once")
{
    fixture f;
    f.first.fail = fail_for_test;
    f.run();
    f.pass(1h);
    CHECK(f.first.starts <= 130); // nine until the pause is 30 s, then two a minute
    CHECK(f.first.starts >= 115);
    CHECK(f.second.starts == 1);
    CHECK(f.lines_with("a part of the master failed") == 1);
    f.first.fail = [] { throw std::logic_error("another one"); };
    f.pass(1min);
    CHECK(f.lines_with("a part of the master failed") == 2);
    CHECK(f.parts.troubles().front().cause == "another one");
    CHECK(f.parts.troubles().front().since < f.start + 1s);
    f.first.fail = nullptr;
    f.pass(2min);
    CHECK(f.parts.troubles().empty());
    f.first.fail = fail_for_test;
    auto const starts = f.first.starts;
    f.pass(1s);
    CHECK(f.first.starts >= starts + 3); // the pauses have begun again
}

TEST_CASE("the failure of a part that cannot start again ends the term, with its cause")
{
    fixture f;
    fake_part third(f.host.time());
    f.parts.add_irreplaceable("third", [&] { return third.run(); });
    f.run();
    f.pass(1s);
    third.fail = fail_for_test;
    f.pass(1s);
    CHECK(f.failure == "the part \"third\" failed: the cause");
    auto const steps = f.first.steps;
    f.pass(1s);
    CHECK(f.first.steps == steps); // the others have been cancelled
    CHECK(f.lines_with("failed, it starts again") == 0);
}

TEST_CASE("the loss of the fence ends the term without a failure, whatever part notices it")
{
    fixture f;
    f.run();
    f.pass(1s);
    f.second.fail = [] { throw not_master("the fence does not carry epoch 5"); };
    f.pass(1s);
    CHECK(f.returned);
    CHECK_FALSE(f.ours);
    CHECK(f.second.starts == 1);
    CHECK(f.lines.empty());
}

TEST_CASE("parts that run side by side within a part fail with the cause of the one that failed")
{
    fixture f;
    fake_part third(f.host.time());
    auto const run = [&]() -> awaitable<void> { co_await both(f.first.run(), third.run()); };
    term_parts parts(f.of, f.stage.loop.get_executor());
    parts.add("two in one", run);
    third.fail = fail_for_test; // the right one of the two
    auto const all = [&]() -> awaitable<void> { co_await parts.run(); };
    f.host.spawn(all());
    f.pass(1s);
    REQUIRE(parts.troubles().size() == 1);
    CHECK(parts.troubles().front().cause == "the cause");
    f.stage.end();
}

} // namespace term_parts_test
