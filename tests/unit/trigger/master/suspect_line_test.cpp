#include "trigger/master/suspect_line.hpp"

#include <catch2/catch.hpp>

namespace suspect_line_test {

using namespace baton;
using namespace baton::trigger;

namespace {

class set_time final : public time_source {
public:
    instant now() const override { return instant{boot}; }
    utc_time utc() const override { return utc_time{boot}; }
    awaitable<void> sleep_until(instant) override { co_return; }

    duration boot = 1'000s;
};

struct fixture {
    set_time time;
    open_set open{time};
    suspect_turns turns{open};

    void add(int id, std::string const& service = "s", int deaths = 2, duration later = 0s)
    {
        auto task = std::make_shared<known_task>();
        task->definition.service = service;
        open_execution one;
        one.id = execution_id{id};
        one.task = task;
        one.due_at = time.utc() + later;
        one.attempt = deaths + 1;
        one.deaths = deaths;
        open_set::reading const seen(open);
        open.add(one, seen);
        auto& added = *open.find(one.id);
        added.delayed_until = time.now() + later;
        if (added.suspect())
            turns.join(added);
    }

    // The executions that go out now; they are held by a client from here on.
    std::vector<execution_id> fire()
    {
        turns.advance(time.now());
        auto const due = open.take_due(time.utc(), 100);
        for (auto const id : due)
            open.move(*open.find(id), phase::held, "client");
        return due;
    }
};

using ids = std::vector<execution_id>;

} // namespace

TEST_CASE("suspects of one service go out one at a time, and each waits for the end of the one before it")
{
    fixture f;
    f.add(1);
    f.add(2);
    CHECK(f.fire() == ids{execution_id{1}});
    f.time.boot += 30s;
    CHECK(f.fire().empty());
    f.open.erase(execution_id{1}); // it has ended
    CHECK(f.fire() == ids{execution_id{2}});
    f.open.erase(execution_id{2});
    f.fire();
    CHECK(f.turns.empty());
}

TEST_CASE("suspects of other services, and executions that are no suspects, do not wait")
{
    fixture f;
    f.add(1);
    f.add(2, "another");
    f.add(3, "s", 1);
    f.add(4, "s", 0);
    CHECK(f.fire().size() == 4);
}

TEST_CASE(
    "a suspect that has run for a minute does not hold up the next one, nor does one that no client takes for ten")
{
    fixture f;
    f.add(1);
    f.add(2);
    f.add(3);
    f.fire();
    f.time.boot += 59s;
    CHECK(f.fire().empty());
    f.time.boot += 1s;
    f.turns.advance(f.time.now());
    CHECK(f.open.take_due(f.time.utc(), 100) == ids{execution_id{2}});
    f.open.move(*f.open.find(execution_id{2}), phase::assigned, "node"); // and no client takes it
    f.time.boot += 9min;
    CHECK(f.fire().empty());
    f.time.boot += 1min;
    CHECK(f.fire() == ids{execution_id{3}});
}

TEST_CASE("a suspect waits for its own due time, and a later one with an earlier time goes first")
{
    fixture f;
    f.add(1, "s", 2, 10s);
    f.add(2);
    CHECK(f.fire() == ids{execution_id{2}});
    f.open.erase(execution_id{2});
    CHECK(f.fire().empty());
    f.time.boot += 10s;
    CHECK(f.fire() == ids{execution_id{1}});
}

TEST_CASE("a suspect that was cancelled while it waited is passed over, and one that comes back gets a new turn")
{
    fixture f;
    f.add(1);
    f.add(2);
    f.add(3);
    f.fire();
    f.open.move(*f.open.find(execution_id{2}), phase::opening);
    f.turns.join(*f.open.find(execution_id{1})); // its node died, and no client had it
    CHECK(f.fire() == ids{execution_id{1}});
    f.open.erase(execution_id{1});
    CHECK(f.fire() == ids{execution_id{3}});
}

} // namespace suspect_line_test
