#include "libs/base/log.hpp"

#include <catch2/catch.hpp>

namespace log_test {

using namespace baton;

TEST_CASE("a log line names the area and the event, then the reason, then the other fields")
{
    CHECK(log::text_line("election", "renewing the lease failed", {{"epoch", 7}, log::reason("timed out")}) ==
          "election: renewing the lease failed: timed out epoch=7");
    CHECK(log::text_line("node", "stopped", {}) == "node: stopped");
}

TEST_CASE("the text of a field is quoted if a reader could not tell where it ends")
{
    CHECK(log::text_line("a", "b", {{"plain", "x-1"}, {"spaced", "two words"}, {"empty", ""}}) ==
          "a: b plain=x-1 spaced=\"two words\" empty=\"\"");
    CHECK(log::text_line("a", "b", {{"quote", "say \"x\""}}) == "a: b quote=\"say \\\"x\\\"\"");
}

TEST_CASE("control characters never reach the terminal, neither in a field nor in a reason")
{
    CHECK(log::text_line("a", "b", {{"name", "x\x1b[31m\n"}, log::reason("line\r\n")}) ==
          "a: b: line\\x0d\\x0a name=\"x\\x1b[31m\\x0a\"");
    CHECK(log::text_line("a", "b", {{"name", "x\xc2\x9b"}, log::reason("größe\x9b\xe2\x80\xae")}) ==
          "a: b: größe\\x9b\\xe2\\x80\\xae name=\"x\\xc2\\x9b\"");
}

TEST_CASE("numbers and flags are written as they are")
{
    CHECK(log::text_line("a", "b", {{"n", std::size_t{3}}, {"on", true}, {"ratio", 0.5}}) ==
          "a: b n=3 on=true ratio=0.5");
}

TEST_CASE("a sink that has taken over the log gets each line with its level, until it is given back")
{
    std::vector<std::string> first;
    std::vector<std::string> second;
    auto const into = [](std::vector<std::string>& lines) {
        return [&lines](log::level which, std::string_view line) {
            lines.push_back(std::to_string(static_cast<int>(which)) + " " + std::string(line));
        };
    };
    auto taken = log::take_over(into(first));
    log::debug("a", "one");
    log::warn("a", "two", {{"n", 2}});
    auto latest = log::take_over(into(second));
    log::error("a", "three");
    latest.reset();
    log::info("a", "four");
    taken.reset();
    log::debug("a", "five");
    CHECK(first == std::vector<std::string>{"0 a: one", "2 a: two n=2", "1 a: four"});
    CHECK(second == std::vector<std::string>{"3 a: three"});
}

TEST_CASE("an exception of a sink does not reach what is logged")
{
    auto const taken = log::take_over([](log::level, std::string_view) { throw std::runtime_error("no disk"); });
    CHECK_NOTHROW(log::info("a", "b"));
}

} // namespace log_test
