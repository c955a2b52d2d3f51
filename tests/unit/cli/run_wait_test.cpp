#include "cli/run_wait.hpp"

#include <catch2/catch.hpp>

namespace run_wait_test {

using namespace baton;
using nlohmann::json;

namespace {

json execution(char const* state, json last_attempt, json more = json::object())
{
    json shown{
        {"id", "7"}, {"state", state}, {"attempt", 1}, {"reason", nullptr}, {"attempts", {std::move(last_attempt)}}};
    shown.update(more);
    return shown;
}

std::string news(json const& shown, bool patient = true)
{
    return cli::news_of(shown, cli::times("Asia/Tokyo"), patient);
}

} // namespace

TEST_CASE("a running execution is told with its client and its progress")
{
    CHECK(news(execution("running", {{"client", "a1"}, {"progress", 0}})) == "running on a1");
    CHECK(news(execution("running", {{"client", "a1"}, {"progress", 40}})) == "running on a1, 40 %");
    CHECK(news(execution("running", {{"client", nullptr}, {"progress", nullptr}})) == "running");
}

TEST_CASE("the reason why an execution waits is told after a while, with times as the user sees them")
{
    auto const waiting = execution("planned", json::object(), {{"reason", "no client of service billing"}});
    CHECK(news(waiting, false).empty());
    CHECK(news(waiting) == "no client of service billing");
    CHECK(news(execution("planned", json::object())).empty());
    auto const retrying =
        execution("retrying", json::object(), {{"reason", "waits for retry at 2026-11-24T22:00:00.250000Z: boom"}});
    CHECK(news(retrying) == "waits for retry at 2026-11-25 07:00:00.250 Asia/Tokyo: boom");
}

TEST_CASE("the end of an execution is told with its result or with its whole error")
{
    CHECK(cli::ending_of(execution("succeeded", {{"result", {{"closed", 42}}}})) ==
          R"(execution 7: succeeded {"closed":42})");
    CHECK(cli::ending_of(execution("failed", {{"error", "boom\nat \x1b[1mline 3"}}, {{"attempt", 3}})) ==
          "execution 7: failed after 3 attempts: boom\nat ?[1mline 3\nbaton executions show 7 --json shows all of it");
    CHECK(cli::ending_of(execution("cancelled", {{"error", nullptr}}, {{"reason", "task deleted"}})) ==
          "execution 7: cancelled: task deleted");
    CHECK(cli::ending_of(execution("cancelled", json::object())) == "execution 7: cancelled");
}

TEST_CASE("the outputs of a command are told as text, and of a failed one their ends")
{
    json const result{{"exit", 0}, {"stdout", "one\ntwo \x1b[1m\n"}, {"stderr", ""}};
    CHECK(cli::ending_of(execution("succeeded", {{"result", result}})) ==
          "execution 7: succeeded\nstdout:\none\ntwo ?[1m");
    json const silent{{"exit", 0}, {"stdout", ""}, {"stderr", ""}};
    CHECK(cli::ending_of(execution("succeeded", {{"result", silent}})) == "execution 7: succeeded");
    std::string lines;
    for (int i = 1; i <= 22; ++i)
        lines += "line " + std::to_string(i) + "\n";
    json const failed{{"exit", 7}, {"stdout", "begun\n"}, {"stderr", lines}};
    auto const told = cli::ending_of(execution("failed", {{"error", "exit status 7"}, {"result", failed}}));
    CHECK(told.starts_with("execution 7: failed: exit status 7\nstdout:\nbegun\nstderr, the last 20 lines:\nline 3\n"));
    CHECK(told.ends_with("line 22\nbaton executions show 7 --json shows all of it"));
}

} // namespace run_wait_test
