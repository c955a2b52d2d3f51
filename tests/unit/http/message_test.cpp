#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace message_test {

using namespace baton;
using namespace baton::http;

namespace {

request with_target(std::string target)
{
    request made;
    made.target = std::move(target);
    return made;
}

} // namespace

TEST_CASE("header fields are found regardless of case, and set() replaces them")
{
    fields headers;
    headers.set("ETag", "\"1\"");
    headers.set("etag", "\"2\"");
    headers.add("Set-Cookie", "a=1");
    headers.add("Set-Cookie", "b=2");
    CHECK(headers.find("eTaG") == "\"2\"");
    CHECK(headers.find("set-cookie") == "a=1");
    CHECK(headers.all().size() == 3);
    CHECK_FALSE(headers.find("If-Match"));
}

TEST_CASE("a header field with a line break or an invalid name is refused")
{
    fields headers;
    CHECK_THROWS_AS(headers.set("Location", "/a\r\nSet-Cookie: x=1"), invalid_input);
    CHECK_THROWS_AS(headers.add("Location", std::string("a\0b", 3)), invalid_input);
    CHECK_THROWS_AS(headers.set("Bad Name", "x"), invalid_input);
    CHECK_THROWS_AS(headers.set("", "x"), invalid_input);
    CHECK(headers.all().empty());
}

TEST_CASE("query parameters are decoded in order, and the path stays encoded as it was sent")
{
    auto const asked = with_target("/api/v1/t%20asks?limit=5&name=a+b%2Bc&empty&limit=6&&x=%C3%BC=1");
    CHECK(asked.path() == "/api/v1/t%20asks");
    CHECK(asked.query("limit") == "5");
    CHECK(asked.query("name") == "a b+c");
    CHECK(asked.query("empty") == "");
    CHECK(asked.query("x") == "\xc3\xbc=1");
    CHECK_FALSE(asked.query("missing"));
    CHECK(asked.queries().size() == 5);
    CHECK(with_target("http://host:80/a?b=1").path() == "/a");
    CHECK(with_target("http://host?b=1").path() == "/");
    CHECK(with_target("/").queries().empty());
}

TEST_CASE("invalid percent-encoding is reported as invalid input")
{
    auto const bad = GENERATE(as<std::string>{}, "%", "%4", "%zz", "a%2", "%ff", "%00", "%c3", "%ed%a0%80");
    CAPTURE(bad);
    CHECK_THROWS_AS(percent_decode(bad), invalid_input);
    CHECK_THROWS_AS(with_target("/a?b=" + bad).query("b"), invalid_input);
}

TEST_CASE("the refusal of percent-encoded text quotes it as received, with the name of the query parameter")
{
    auto const refusal = [](std::string const& target) {
        try {
            with_target(target).queries();
        } catch (invalid_input const& wrong) {
            return wrong.field() + ": " + wrong.what();
        }
        return std::string("accepted");
    };
    CHECK(refusal("/a?b=1&kind=x%00y") == "kind: kind: 'x%00y' contains the character U+0000");
    CHECK(refusal("/a?kind=%ff") == "kind: kind: '%ff' does not stand for text in UTF-8");
    CHECK(refusal("/a?kind=%4") == "kind: kind: the percent-encoding in '%4' is broken");
    CHECK(refusal("/a?kind=f%C3%BCnf") == "accepted");
}

TEST_CASE("decoding percent-encoded text returns the original text")
{
    std::string const all = "/tasks? a&b=c+%~-._\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80#\"\\\n";
    CHECK(percent_decode(percent_encode(all)) == all);
    CHECK(percent_encode("a/b c") == "a%2Fb%20c");
}

TEST_CASE("only well-formed UTF-8 is recognised as UTF-8")
{
    CHECK(is_utf8(""));
    CHECK(is_utf8("z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf"));
    auto const bad =
        GENERATE(as<std::string>{}, "\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                 "\xf4\x90\x80\x80", "\xf0\x80\x80\x80", "\xff", "a\xe2\x82", "\xe2\x28\xa1");
    CAPTURE(bad);
    CHECK_FALSE(is_utf8(bad));
}

TEST_CASE("JSON that is malformed, not UTF-8 or nested too deeply is refused")
{
    auto const bad =
        GENERATE(as<std::string>{}, "", "{", "{\"a\":1,}", "nul", "{} {}", "\"\xff\"", "{\"\xc3\":1}", "\xff\xfe",
                 "\"\xed\xa0\x80\"", std::string(65, '[') + std::string(65, ']'), std::string(1'000'000, '['), "'a'");
    CHECK_THROWS_AS(parse_json(bad), invalid_input);
}

TEST_CASE("JSON nested to the maximum depth is accepted, and brackets in strings do not count")
{
    auto const deep = std::string(64, '[') + std::string(64, ']');
    CHECK(parse_json(deep).dump() == deep);
    auto const quoted = "[\"" + std::string(200, '[') + "\\\"" + std::string(200, '{') + "\"]";
    CHECK(parse_json(quoted).dump() == quoted);
}

TEST_CASE("JSON messages carry their content type and replace bytes that are not UTF-8")
{
    auto const answer = json_response(201, {{"output", "a\xff"
                                                       "b"}});
    CHECK(answer.status == 201);
    CHECK(answer.headers.find("Content-Type") == "application/json");
    CHECK(parse_json(answer.body).at("output") == "a\xef\xbf\xbd"
                                                  "b");
    auto const asked = json_request(verb::put, "/x", {{"a", 1}});
    CHECK(asked.method == verb::put);
    CHECK(asked.body == R"({"a":1})");
}

TEST_CASE("a problem answer names the invalid field")
{
    auto const answer = problem(400, "Bad Request", "no such day", "schedule.cron");
    auto const body = parse_json(answer.body);
    CHECK(answer.headers.find("content-type") == "application/problem+json");
    CHECK(body.at("status") == 400);
    CHECK(body.at("detail") == "no such day");
    CHECK(body.at("field") == "schedule.cron");
    CHECK_FALSE(parse_json(problem(404, "Not Found", "gone").body).contains("field"));
}

TEST_CASE("a URL is parsed, normalised and written again")
{
    auto const [given, host, port, prefix, text] =
        GENERATE(table<std::string, std::string, int, std::string, std::string>(
            {{"http://10.0.0.1:7800", "10.0.0.1", 7800, "", "http://10.0.0.1:7800"},
             {"http://Node-1.example/", "node-1.example", 80, "", "http://node-1.example:80"},
             {"HTTP://[::1]:65535/a/b/", "::1", 65535, "/a/b", "http://[::1]:65535/a/b"}}));
    auto const read = parse_url(given);
    CHECK(read.host == host);
    CHECK(read.port == port);
    CHECK(read.prefix == prefix);
    CHECK(read.text() == text);
    CHECK(parse_url(read.text()) == read);
}

TEST_CASE("an invalid URL is refused")
{
    auto const bad =
        GENERATE(as<std::string>{}, "", "10.0.0.1:7800", "https://a", "http://", "http://a:0", "http://a:65536",
                 "http://a:x", "http://a:1x", "http://a:", "http://[::1", "http://[1.2.3.4]:1", "http://a b",
                 "http://u:p@h", "http://u@h", "http://h/a?b", "http://h/a#b", "http://h/a b", "http://h\r\n");
    CAPTURE(bad);
    CHECK_THROWS_AS(parse_url(bad), invalid_input);
}

TEST_CASE("IP addresses are distinguished from names, and only real loopback addresses count as loopback")
{
    for (auto const* address : {"127.0.0.1", "0.0.0.0", "::1", "fe80::1"})
        CHECK(is_address(address));
    for (auto const* name : {"localhost", "", "10.0.0", "1.2.3.4:80", "[::1]"})
        CHECK_FALSE(is_address(name));
    for (auto const* host : {"127.0.0.1", "127.255.0.9", "::1", "localhost", "LocalHost"})
        CHECK(is_loopback(host));
    for (auto const* host :
         {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "localhost.evil.example", "127.0.0.1.evil.example", ""})
        CHECK_FALSE(is_loopback(host));
}

} // namespace message_test
