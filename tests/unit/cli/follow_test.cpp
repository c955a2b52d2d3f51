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
    std::vector const first{execution("1", "running")};
    std::vector const second{execution("2", "succeeded")};
    watch.changed(first);
    CHECK(watch.unseen_open(first).empty());
    watch.changed(second);
    CHECK(watch.unseen_open(second) == std::vector<std::string>{"1"});
    CHECK(watch.changed({execution("2", "succeeded"), execution("1", "running")}).empty());
    watch.changed(second);
    CHECK(ids(watch.changed({execution("2", "succeeded"), execution("1", "failed")})) == std::vector<std::string>{"1"});
    watch.changed(second);
    CHECK(watch.unseen_open(second).empty());
}

TEST_CASE("an execution that is due and has not started is looked at, too, when it has left the list")
{
    execution_watch watch;
    std::vector const later{execution("2", "succeeded")};
    watch.changed({execution("1", "planned")});
    watch.changed(later);
    CHECK(watch.unseen_open(later) == std::vector<std::string>{"1"});
    CHECK(ids(watch.changed({execution("2", "succeeded"), execution("1", "running")})) ==
          std::vector<std::string>{"1"});
}

TEST_CASE("of more open executions than one look asks for, the next look asks for others, without deleted ones")
{
    execution_watch watch;
    std::vector<nlohmann::json> open;
    for (int id = 100; id < 250; ++id)
        open.push_back(execution(std::to_string(id), "running"));
    watch.changed(open);
    watch.forget("249");
    auto const first = watch.unseen_open({});
    auto const second = watch.unseen_open({});
    REQUIRE(first.size() == 100);
    CHECK((first.front() == "100" && first.back() == "199"));
    REQUIRE(second.size() == 100);
    CHECK((second.front() == "200" && second.at(48) == "248" && second.at(49) == "100"));
}

TEST_CASE("a look reads back to where the look before it began, however many executions are new")
{
    auto const list = [](int newest, int oldest) {
        std::vector<nlohmann::json> all;
        for (int id = newest; id >= oldest; --id)
            all.push_back(execution(std::to_string(id), "succeeded"));
        return all;
    };
    follow_window window(3);
    auto first = list(10, 9);
    CHECK(window.needs_more(first));
    first = list(10, 6);
    CHECK_FALSE(window.needs_more(first));
    window.take(first);
    CHECK(ids(first) == std::vector<std::string>{"10", "9", "8"});

    CHECK(window.needs_more(list(1'000, 990)));
    CHECK(window.needs_more(list(1'000, 8)));
    auto second = list(1'000, 5);
    CHECK_FALSE(window.needs_more(second));
    window.take(second);
    CHECK(second.size() == 993);
    CHECK(window.needs_more(list(1'001, 998)));
    CHECK_FALSE(window.needs_more(list(1'001, 997)));
}

TEST_CASE("a list shorter than its limit is read to its end, and one that loses executions brings in no older ones")
{
    follow_window window(2);
    std::vector<nlohmann::json> none;
    window.take(none);
    CHECK(window.needs_more({execution("3", "running"), execution("2", "running"), execution("1", "running")}));
    std::vector filled{execution("3", "running"), execution("2", "running"), execution("1", "running")};
    window.take(filled);
    CHECK(filled.size() == 3);
    std::vector one_left{execution("3", "running"), execution("1", "running")};
    window.take(one_left);
    CHECK(ids(one_left) == std::vector<std::string>{"3"});
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

TEST_CASE("a line of a followed list has the time, the names, the state and the reason")
{
    CHECK(follow_line(execution("7", "failed", 2), times("Europe/Berlin")) ==
          "2026-07-01 12:00:05.500  7  greet  failed  2/3  exit status 3");
    CHECK(follow_line(execution("7", "running"), times("UTC")) == "2026-07-01 10:00:00.000  7  greet  running  1/3");
}

} // namespace follow_test
