#include "libs/base/printable.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace printable_test {

using namespace baton;

TEST_CASE("text without control characters is shown as it is")
{
    for (auto const* text : {"", "close-day", "größe", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x98\x80", "a b~"})
        CHECK(printable(text) == text);
}

TEST_CASE("control characters of both ranges become question marks")
{
    CHECK(printable("a\x1b[2Jb\nc\td\x7f") == "a?[2Jb?c?d?");
    CHECK(printable(std::string_view("a\0b", 3)) == "a?b");
    CHECK(printable("a\xc2\x9b"
                    "31mb") == "a?31mb");
    for (unsigned value = 0; value < 0xA0; ++value) {
        std::string text;
        if (value < 0x80)
            text = static_cast<char>(value);
        else
            text = {'\xc2', static_cast<char>(value)};
        INFO(value);
        CHECK(printable(text) == (value < 0x20 || value >= 0x7F ? "?" : text));
    }
}

TEST_CASE("bytes that are not UTF-8 become question marks, each by itself")
{
    CHECK(printable("a\x9b"
                    "31m") == "a?31m");   // a control character for a terminal of eight bits
    CHECK(printable("\xc0\x9b") == "??"); // overlong
    CHECK(printable("\xe0\x82\x9b") == "???");
    CHECK(printable("\xed\xa0\x80") == "???"); // a surrogate
    CHECK(printable("\xf5\x80\x80\x80") == "????");
    CHECK(printable("x\xe6\x97") == "x??"); // cut off
}

TEST_CASE("characters that turn a text around or break its line become question marks")
{
    CHECK(printable("gpj\xe2\x80\xae.exe") == "gpj?.exe");
    CHECK(printable("a\xe2\x81\xa6"
                    "b\xe2\x80\xa8"
                    "c\xd8\x9c") == "a?b?c?");
}

TEST_CASE("JSON keeps its value when its control characters are escaped")
{
    nlohmann::json const value{{"name", "a\x1b\x7f\xc2\x9b\xe2\x80\xae größe"}, {"line", "one\ntwo"}};
    auto const text = printable_json(value.dump(2));
    CHECK(nlohmann::json::parse(text) == value);
    for (char const c : text)
        CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
    CHECK(text.find("\\u001b\\u007f\\u009b\\u202e größe") != std::string::npos);
}

} // namespace printable_test
