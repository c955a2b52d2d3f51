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

TEST_CASE("a configuration may have comments")
{
    CHECK(parse_document("{\"a\": /* one */ 1} // two", comments::ignored).at("a") == 1);
}

} // namespace document_test
