#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"

#include <catch2/catch.hpp>

namespace document_test {

using namespace baton;
using namespace baton::protocol;

namespace {

// "field: message" of the refusal, or "accepted".
std::string refusal(std::string const& text)
{
    try {
        parse_document(text);
    } catch (invalid_input const& wrong) {
        return wrong.field() + ": " + wrong.what();
    }
    return "accepted";
}

} // namespace

TEST_CASE("a key that an object has twice is refused with its path")
{
    CHECK(refusal(R"({"name": "a", "name": "b"})") == "name: name is given twice");
    CHECK(refusal(R"({"schedule": {"cron": "* * * * *", "zone": "UTC", "cron": "0 * * * *"}})") ==
          "schedule.cron: schedule.cron is given twice");
    CHECK(refusal(R"({"payload": [{"a": 1}, {"b": 1, "b": 1}]})") == "payload.b: payload.b is given twice");
    CHECK(refusal(R"({"a\u0000": 1, "a\u0000": 2})") == std::string("a\0", 2) + ": 'a\\u0000' is given twice");
}

TEST_CASE("two objects may have the same key, and an object may have it inside of itself")
{
    CHECK(refusal(R"([{"a": 1}, {"a": 2}])") == "accepted");
    CHECK(refusal(R"({"a": {"a": {"b": 1}}, "b": 2})") == "accepted");
}

TEST_CASE("text that is not JSON, not UTF-8 or nested too deeply is refused")
{
    CHECK(refusal("{").starts_with(": not JSON: parse error at line 1"));
    CHECK(refusal("").starts_with(": not JSON: "));
    CHECK(refusal("\"\xff\"").starts_with(": not JSON: "));
    CHECK(refusal("1e400").starts_with(": not JSON: "));
    CHECK(refusal("{} // comment").starts_with(": not JSON: "));
    CHECK(refusal(std::string(65, '[') + std::string(65, ']')) == ": JSON is nested deeper than 64");
    CHECK(refusal(std::string(64, '[') + std::string(64, ']')) == "accepted");
}

TEST_CASE("a payload may be nested 64 levels deep in whatever document it is")
{
    auto const nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
    auto const inside = [](std::string const& payload) { return R"({"tasks": [{"payload": )" + payload + "}]}"; };
    CHECK(refusal(inside(nested(64))) == "accepted");
    CHECK(refusal(inside(nested(65))) ==
          "tasks.payload: payload is nested deeper than 64 levels; write its inner part as a string");
    CHECK(refusal(R"({"payload": 1, "other": )" + nested(64) + "}") == ": JSON is nested deeper than 64");
    CHECK_NOTHROW(parse_payload(nested(64)));
    CHECK_THROWS_AS(parse_payload(nested(65)), invalid_input);
}

TEST_CASE("a number of a payload that would be rounded is refused with its place and the remedy")
{
    CHECK(refusal(R"({"payload": {"ids": [1, {"a": 2}, 18446744073709551616]}})") ==
          "payload.ids: payload.ids[2]: 18446744073709551616 is beyond the integers of 64 bits and would be rounded; "
          "write it as a string");
    CHECK(
        refusal(R"({"payload": {"pi": 3.141592653589793238}})") ==
        "payload.pi: payload.pi: 3.141592653589793238 has more digits than a number keeps and would be rounded; write "
        "it as a string");
    CHECK(refusal(R"({"tasks": [{"payload": {}}, {"payload": [[1e-400]]}]})")
              .starts_with("tasks.payload: tasks[1].payload[0][0]: 1e-400 has"));
    CHECK(refusal(R"({"payload": )" + std::string(50, '9') + "}").find(": " + std::string(40, '9') + "... is") !=
          std::string::npos);
    CHECK(refusal(R"({"payload": [18446744073709551615, -9223372036854775808, 0.1, 1e5, "3.141592653589793238"]})") ==
          "accepted");
    CHECK(refusal(R"({"payload": 1, "other": 18446744073709551616})") == "accepted"); // its reader checks the range
    CHECK_THROWS_AS(parse_payload("-9223372036854775809"), invalid_input);
    CHECK(parse_payload("[1.50]") == nlohmann::json{1.5});
}

TEST_CASE("it is known of a text whether one of its numbers would be rounded")
{
    CHECK(rounds_numbers(R"({"ids": [1, 18446744073709551616]})"));
    CHECK(rounds_numbers("3.141592653589793238"));
    CHECK_FALSE(rounds_numbers(R"({"ids": [1, 18446744073709551615, 2.5], "pi": "3.141592653589793238"})"));
}

TEST_CASE("a configuration may have comments")
{
    CHECK(parse_document("{\"a\": /* one */ 1} // two", comments::ignored).at("a") == 1);
}

} // namespace document_test
