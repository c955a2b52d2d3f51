#include "tests/unit/trigger/master/assigner_stage.hpp"

#include <catch2/catch.hpp>

namespace limits_admission_test {

using namespace baton;
using namespace baton::trigger;

namespace {

using executions = std::vector<execution_id>;

executions numbers(int from, int to)
{
    executions out;
    for (int id = from; id <= to; ++id)
        out.push_back(execution_id{id});
    return out;
}

nlohmann::json with_rate(int limit, int per_ms, int burst)
{
    return {{"rate", {{"limit", limit}, {"per_ms", per_ms}, {"burst", burst}}}};
}

// Task 2 is limited by itself; the service of both tasks by limit().
struct fixture : test::assigner_stage {
    explicit fixture(nlohmann::json const& task = nlohmann::json::object(), int slots = 100)
    {
        add_task(2, task);
        firing->hear("n1", room(slots, slots));
    }
    void limit(int concurrency, protocol::rate_limit rate = {})
    {
        limits.limit({{{"default", "s"}, 1, {{concurrency, rate}}}});
    }
    executions sent() { return all_at("n1"); }
    void end(int id)
    {
        exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = " + std::to_string(id));
        ended.ended(execution_id{id});
        pass(50ms);
    }
    std::string blocker(int id)
    {
        return text("SELECT blocker FROM waiting WHERE execution_id = " + std::to_string(id));
    }
};

} // namespace

TEST_CASE("a task with a rate sends its burst and then a token at a time, in order")
{
    fixture f(with_rate(10, 1'000, 2));
    f.fire({1, 2, 3, 4, 5}, 2);
    f.pass(50ms);
    CHECK(f.sent() == numbers(1, 2));
    f.pass(100ms);
    CHECK(f.sent() == numbers(1, 3));
    f.pass(200ms);
    CHECK(f.sent() == numbers(1, 5));
}

TEST_CASE("tokens come by the boot clock while the cluster's clock stands still, because it was set back")
{
    fixture f(with_rate(1, 2'000, 1));
    f.fire({1, 2, 3, 4}, 2);
    f.pass(100ms);
    f.host.time().step_wall(-90s);
    f.pass(1'500ms);
    CHECK(f.sent() == numbers(1, 1));
    f.pass(1s);
    CHECK(f.sent() == numbers(1, 2));
    f.pass(4s);
    CHECK(f.sent() == numbers(1, 4));
    auto const now = to_micros(f.clock.now());
    CHECK(f.number("SELECT MAX(full_at) FROM limit_state") <= now + 4'000'000); // as a new master counts
}

TEST_CASE("a task without limits does not wait behind one with a rate")
{
    fixture f(with_rate(1, 1'000, 1));
    f.fire({1, 2, 3}, 2);
    f.fire({4, 5}, 1);
    f.pass(50ms);
    CHECK(f.sent().size() == 3);
}

TEST_CASE("what a rate keeps back for over a second is marked with the reason, and unmarked before it is sent")
{
    fixture f(with_rate(1, 3'000, 1));
    f.fire({1, 2}, 2);
    f.pass(1'500ms);
    CHECK(f.sent() == numbers(1, 1));
    CHECK(f.state(2) == "waiting");
    CHECK(f.blocker(2) == "task_rate");
    CHECK(f.number("SELECT COUNT(*) FROM waiting WHERE waited_until IS NULL") == 1);
    f.pass(2s);
    CHECK(f.state(2) == "planned");
    CHECK(f.sent() == numbers(1, 2));
    CHECK(f.number("SELECT COUNT(*) FROM waiting WHERE waited_until > since") == 1);
}

TEST_CASE("the tokens of a slow rate are in the ledger before an attempt that takes one is sent")
{
    fixture f(with_rate(1, 60'000, 1));
    f.fire({1, 2}, 2);
    f.pass(100ms);
    CHECK(f.sent() == numbers(1, 1));
    CHECK(f.number("SELECT full_at FROM limit_state WHERE task_id = 2") >= to_micros(f.clock.now() + 60s));

    f.fire({3}, 1);
    f.pass(100ms);
    CHECK(f.number("SELECT COUNT(*) FROM limit_state") == 1); // of others nothing is written
}

TEST_CASE("a service has so many executions under way, of all its tasks together")
{
    fixture f;
    f.limit(2);
    f.fire({1, 2}, 1);
    f.fire({3, 4}, 2);
    f.pass(1'500ms);
    CHECK(f.sent() == numbers(1, 2));
    CHECK(f.state(3) == "waiting");
    CHECK(f.blocker(3) == "service_concurrency");
    f.end(1);
    CHECK(f.sent() == numbers(1, 3));
    f.limit(0);
    f.pass(100ms);
    CHECK(f.sent() == numbers(1, 4));
}

TEST_CASE("a limit that is set counts what is under way, and what waits for a client asks for it")
{
    fixture f(nlohmann::json::object(), 2);
    f.fire({1, 2, 3, 4}, 1);
    f.pass(50ms);
    REQUIRE(f.sent().size() == 2);
    auto const before = f.sent().size();
    f.limit(1);
    f.firing->hear("n1", f.room(100, 100, 2));
    f.pass(100ms);
    CHECK(f.sent().size() == before);
    for (std::size_t i = 1; i <= before; ++i)
        f.end(static_cast<int>(i));
    f.pass(100ms);
    CHECK(f.sent().size() == std::min<std::size_t>(before + 1, 4));
}

TEST_CASE("an execution that waits for a client uses up neither tokens nor places of its service")
{
    fixture f(with_rate(10, 1'000, 2), 0);
    f.limit(1);
    f.fire({1, 2, 3}, 2);
    f.pass(2s);
    CHECK(f.sent().empty());
    f.firing->hear("n1", f.room(100, 100, 2));
    f.pass(50ms);
    CHECK(f.sent().size() == 1);
    f.end(static_cast<int>(f.sent()[0].value()));
    f.pass(200ms);
    CHECK(f.sent().size() == 2);
}

TEST_CASE("an execution under way keeps its place in its service between attempts, and each attempt takes a token")
{
    fixture f(with_rate(1, 1'000, 1));
    f.limit(1);
    f.fire({1, 2}, 2);
    f.pass(50ms);
    CHECK(f.sent() == numbers(1, 1));
    f.exec("UPDATE execution SET state = 'retrying' WHERE id = 1");
    f.next.open(f.one(1), f.clock.now(), protocol::attempt_cause::retry);
    f.pass(300ms);
    CHECK(f.sent() == numbers(1, 1));
    f.pass(1s);
    CHECK(f.sent() == executions{execution_id{1}, execution_id{1}});
    f.end(1);
    f.pass(1s);
    CHECK(f.sent().back() == execution_id{2});
}

TEST_CASE("executions in doubt that no client has take tokens like all others, in order")
{
    fixture f(with_rate(1, 1'000, 1));
    for (int const id : {1, 2, 3})
        f.add_execution(id, 2);
    f.load();
    f.put_in_doubt({1, 2, 3});
    f.find_absent({3, 2, 1});
    f.pass(500ms);
    REQUIRE(f.sent().size() == 1);
    f.pass(1s);
    CHECK(f.sent().size() == 2);
    CHECK(f.sent().back() == execution_id{f.sent().front() == execution_id{1} ? 2 : 1});
}

TEST_CASE("an execution of a higher priority goes before those that were due shortly before it")
{
    fixture f(nlohmann::json{{"priority", 1}});
    f.limit(1);
    f.fire({1, 2}, 1);
    f.pass(50ms);
    f.fire({3}, 2);
    f.pass(50ms);
    f.end(1);
    CHECK(f.sent() == executions{execution_id{1}, execution_id{3}});
    f.end(3);
    CHECK(f.sent().back() == execution_id{2});
}

} // namespace limits_admission_test
