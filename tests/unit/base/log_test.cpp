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

} // namespace log_test
