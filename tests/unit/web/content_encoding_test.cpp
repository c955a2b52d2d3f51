#include "web/content_encoding.hpp"

#include <catch2/catch.hpp>

namespace content_encoding_test {

using namespace baton::web;

namespace {

std::string chosen(std::optional<std::string> const& accepted, offered_encodings offered = {true, true})
{
    return name_of(choose_encoding(accepted, offered));
}

} // namespace

TEST_CASE("a caller gets the smallest form of a file that it can read")
{
    CHECK(chosen("gzip, deflate, br, zstd") == "br");
    CHECK(chosen("gzip, deflate") == "gzip");
    CHECK(chosen("x-gzip") == "gzip");
    CHECK(chosen("GZip;q=0.5, BR; q=0.1") == "br");
    CHECK(chosen("*") == "br");
    CHECK(chosen("gzip, br", {.gzip = true, .brotli = false}) == "gzip");
    CHECK(chosen("br", {.gzip = true, .brotli = false}) == "identity");
    CHECK(chosen("gzip, br", {}) == "identity");
}

TEST_CASE("a form that the caller does not admit is not sent")
{
    CHECK(chosen(std::nullopt) == "identity");
    CHECK(chosen("") == "identity");
    CHECK(chosen("identity") == "identity");
    CHECK(chosen("br;q=0, gzip") == "gzip");
    CHECK(chosen("br;q=0.000, *") == "gzip");
    CHECK(chosen("*;q=0") == "identity");
    CHECK(chosen("gzip;q=0, *;q=0") == "identity");
    CHECK(chosen("brotli, gzipped, ;q=1,,") == "identity");
    CHECK(chosen("br;q=0.001") == "br");
}

} // namespace content_encoding_test
