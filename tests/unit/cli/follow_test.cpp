#include "cli/follow.hpp"

#include <catch2/catch.hpp>

namespace follow_test {
namespace {

using namespace baton::cli;

nlohmann::json execution(std::string const& id, std::string const& state, int attempt = 1)
{
    bool const ended = state == "succeeded" || state == "failed";
    return {{"id", id},
            {"task_name", "greet"},
            {"state", state},
            {"attempt", attempt},
            {"max_attempts", 3},
            {"scheduled_at", "2026-07-01T10:00:00.000000Z"},
            {"ended_at", ended ? nlohmann::json("2026-07-01T10:00:05.500000Z") : nlohmann::json()},
            {"reason", state == "failed" ? nlohmann::json("exit status 3") : nlohmann::json()}};
}

std::vector<std::string> ids(std::vector<nlohmann::json> const& found)
{
    std::vector<std::string> all;
    for (auto const& each : found)
        all.push_back(each.at("id"));
    return all;
}

} // namespace

TEST_CASE("each change of an execution is told once, the oldest first, and plans are not told")
{
    execution_watch watch;
    CHECK(ids(watch.changed({execution("3", "planned"), execution("2", "running"), execution("1", "succeeded")})) ==
          std::vector<std::string>{"1", "2"});
    CHECK(watch.changed({execution("3", "planned"), execution("2", "running"), execution("1", "succeeded")}).empty());
    CHECK(ids(watch.changed({execution("3", "running"), execution("2", "retrying"), execution("1", "succeeded")})) ==
          std::vector<std::string>{"2", "3"});
    CHECK(ids(watch.changed({execution("3", "running"), execution("2", "retrying", 2)})) ==
          std::vector<std::string>{"2"});
}

TEST_CASE("an execution that left the list before its end is still looked at, until it ends")
{
    execution_watch watch;
    watch.changed({execution("1", "running")});
    CHECK(watch.unseen_open().empty());
    watch.changed({execution("2", "succeeded")});
    CHECK(watch.unseen_open() == std::vector<std::string>{"1"});
    CHECK(watch.changed({execution("2", "succeeded"), execution("1", "running")}).empty());
    watch.changed({execution("2", "succeeded")});
    CHECK(ids(watch.changed({execution("2", "succeeded"), execution("1", "failed")})) == std::vector<std::string>{"1"});
    watch.changed({execution("2", "succeeded")});
    CHECK(watch.unseen_open().empty());
}

TEST_CASE("an execution that waits is told with the reason, and again when that is another")
{
    execution_watch watch;
    auto waiting = execution("1", "planned");
    waiting["reason"] = "no client of service agent";
    CHECK(ids(watch.changed({waiting})) == std::vector<std::string>{"1"});
    CHECK(watch.changed({waiting}).empty());
    waiting["reason"] = "agent has no free slot";
    CHECK(ids(watch.changed({waiting})) == std::vector<std::string>{"1"});
}

TEST_CASE("a list of new executions alone does not join the list before")
{
    execution_watch watch;
    CHECK(watch.joins({execution("1", "running")})); // the first look
    watch.changed({execution("2", "running"), execution("1", "running")});
    CHECK(watch.joins({execution("3", "running"), execution("2", "running")}));
    CHECK_FALSE(watch.joins({execution("4", "running"), execution("3", "running")}));
    CHECK(watch.joins({}));
}

TEST_CASE("a line of a followed list has the time, the names, the state and the reason")
{
    CHECK(follow_line(execution("7", "failed", 2), times("Europe/Berlin")) ==
          "2026-07-01 12:00:05.500  7  greet  failed  2/3  exit status 3");
    CHECK(follow_line(execution("7", "running"), times("UTC")) == "2026-07-01 10:00:00.000  7  greet  running  1/3");
}

} // namespace follow_test
