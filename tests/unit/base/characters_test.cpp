#include "libs/base/characters.hpp"

#include <catch2/catch.hpp>

namespace characters_test {

using namespace baton;

TEST_CASE("characters are counted, not bytes")
{
    CHECK(count_characters("") == 0);
    CHECK(count_characters("close-day") == 9);
    CHECK(count_characters("größe") == 5);
    CHECK(count_characters("\xe6\x97\xa5\xe6\x9c\xac\xf0\x9f\x98\x80") == 3);
    CHECK(count_characters("a\xff\xc3") == 3); // bytes that are not UTF-8, each by itself
}

TEST_CASE("control characters of both ranges are found")
{
    CHECK_FALSE(has_control("größe ~"));
    CHECK(has_control("a\nb"));
    CHECK(has_control("\x7f"));
    CHECK(has_control("a\xc2\x80"));
    CHECK(has_control("\xc2\x9f"));
    CHECK_FALSE(has_control("\xc2\xa0")); // U+00A0, a space
}

TEST_CASE("a message quotes text as it is and escapes what cannot be shown")
{
    CHECK(in_quotes("soon") == "'soon'");
    CHECK(in_quotes("morgen früh") == "'morgen früh'");
    CHECK(in_quotes(std::string_view("a\0b", 3)) == "'a\\u0000b'");
    CHECK(in_quotes("5\n\r\t") == "'5\\n\\r\\t'");
    CHECK(in_quotes("\x1b[2J\xc2\x9b") == "'\\u001b[2J\\u009b'");
    CHECK(in_quotes("\xff\xe6\x97") == "'\\xff\\xe6\\x97'");
    CHECK(in_quotes("gpj\xe2\x80\xae.exe") == "'gpj\\u202e.exe'");
}

TEST_CASE("a message quotes 60 characters at most and cuts none in two")
{
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "ü";
    CHECK(in_quotes(text) == "'" + text + "'");
    CHECK(in_quotes(text + "ü") == "'" + text + "...'");
}

TEST_CASE("a text is cut to a number of bytes, and between characters")
{
    CHECK(shortened("abc", 3) == "abc");
    CHECK(shortened("abcd", 3) == "abc");
    CHECK(shortened("aäb", 2) == "a"); // ä has two bytes
    CHECK(shortened("aäb", 3) == "aä");
    CHECK(shortened("ä", 1).empty());
}

} // namespace characters_test
