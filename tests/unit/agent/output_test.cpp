#include "agent/output.hpp"

#include <catch2/catch.hpp>

namespace output_test {

using baton::agent::output;

TEST_CASE("short output is kept unchanged")
{
    output kept(1'000);
    kept.append("one\n");
    kept.append("two\n");
    CHECK(kept.text() == "one\ntwo\n");
    CHECK(kept.total() == 8);
}

TEST_CASE("long output keeps its beginning and its end, names the number of missing bytes, and stays bounded")
{
    output kept(100);
    for (int i = 0; i < 10'000; ++i)
        kept.append("line " + std::to_string(i) + "\n");
    auto const text = kept.text();
    CHECK(text.starts_with("line 0\nline 1\n"));
    CHECK(text.ends_with("line 9998\nline 9999\n"));
    CHECK(text.find("bytes left out ...]") != std::string::npos);
    CHECK(text.size() < 200);
    CHECK(kept.total() == 98'890);
}

TEST_CASE("output that fits exactly is not cut, and one byte more is")
{
    output exact(10);
    exact.append("0123456789");
    CHECK(exact.text() == "0123456789");
    exact.append("x");
    CHECK(exact.text() == "01234\n[... 1 bytes left out ...]\n6789x");
}

TEST_CASE("output written at once gives the same text as output written in many small pieces")
{
    output at_once(1'000);
    output bit_by_bit(1'000);
    std::string text;
    for (int i = 0; i < 5'000; ++i)
        text += static_cast<char>('a' + i % 26);
    at_once.append(text);
    for (char const c : text)
        bit_by_bit.append({&c, 1});
    CHECK(at_once.text() == bit_by_bit.text());
}

TEST_CASE("a caller can ask for a shorter text than the kept one")
{
    output kept(1'000);
    kept.append(std::string(400, 'a') + std::string(400, 'b'));
    auto const text = kept.text(20);
    CHECK(text == std::string(10, 'a') + "\n[... 780 bytes left out ...]\n" + std::string(10, 'b'));
    CHECK(kept.text(0) == "\n[... 800 bytes left out ...]\n");
}

TEST_CASE("a character of several bytes is never split")
{
    output kept(11);
    for (int i = 0; i < 100; ++i)
        kept.append("\u20ac");
    auto const text = kept.text();
    CHECK(text == "\u20ac\n[... 294 bytes left out ...]\n\u20ac");
}

} // namespace output_test
