#include "libs/base/log.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/until_done.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace until_done_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// A step that throws a number of times, each time the same.
struct fixture : test::term_stage {
    std::function<void()> fail = [] { throw std::logic_error("the cause"); };
    int failures = 0;
    int tries = 0;
    bool done = false;
    bool raised = false;
    std::vector<std::string> lines;
    std::shared_ptr<void> listening = log::take_over([this](log::level which, std::string_view line) {
        if (which != log::level::debug)
            lines.emplace_back(line);
    });
    ~fixture() { stage.end(); }

    void run() { host.spawn(all()); }
    awaitable<void> all()
    {
        std::function<awaitable<void>()> step = [this] { return once(); };
        try {
            co_await until_done(of, "the step", std::move(step));
            done = true;
        } catch (not_master const&) {
            raised = true;
        }
    }
    awaitable<void> once()
    {
        ++tries;
        co_await host.time().sleep_for(1ms);
        if (tries <= failures)
            fail();
    }
};

} // namespace

TEST_CASE("a step that fails is tried again until it returns, and its cause is logged once")
{
    fixture f;
    f.failures = 3;
    f.run();
    f.pass(2s);
    CHECK(f.done);
    CHECK(f.tries == 4);
    REQUIRE(f.lines.size() == 1);
    CHECK(f.lines.front().find("the cause") != std::string::npos);
    CHECK(f.lines.front().find("the step") != std::string::npos);
}

TEST_CASE("the pauses of a step that always fails grow to half a minute")
{
    fixture f;
    f.failures = 1'000'000;
    f.run();
    f.pass(1h);
    CHECK_FALSE(f.done);
    CHECK(f.tries > 100);
    CHECK(f.tries < 140);
    CHECK(f.lines.size() == 1);
}

TEST_CASE("a step that finds the fence raised is not tried again")
{
    fixture f;
    f.failures = 1'000'000;
    f.fail = [] { throw not_master("raised"); };
    f.run();
    f.pass(1h);
    CHECK(f.raised);
    CHECK(f.tries == 1);
}

} // namespace until_done_test
