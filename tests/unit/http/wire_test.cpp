#include "libs/base/error.hpp"
#include "libs/http/wire.hpp"

#include <catch2/catch.hpp>

namespace wire_test {

using namespace baton;
using namespace baton::http;

namespace {

constexpr wire_limits limits{1'000, 2'000};

// Feeds `bytes` in pieces, as a socket would, and keeps the bytes that were not consumed.
template <class Reader>
progress feed(Reader& reader, std::string const& bytes, std::size_t piece)
{
    std::string pending;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        pending += bytes.substr(at, piece);
        std::size_t used = 0;
        auto const got = reader.put(pending, used);
        pending.erase(0, used);
        if (got != progress::need_more)
            return got;
    }
    return progress::need_more;
}

progress read_request(std::string const& bytes)
{
    request_reader reader(limits);
    reader.start();
    return feed(reader, bytes, bytes.size());
}

} // namespace

TEST_CASE("a request is parsed the same in one piece and byte by byte")
{
    auto const piece = GENERATE(1u, 2u, 7u, 1'000u);
    request_reader reader(limits);
    for (int round = 0; round < 2; ++round) {
        reader.start();
        auto const got =
            feed(reader, "POST /a?b HTTP/1.1\r\nHost: x\r\nX-Y:  z \r\nContent-Length: 4\r\n\r\nbody", piece);
        REQUIRE(got == progress::done);
        CHECK(reader.keeps_alive());
        auto const read = reader.take();
        CHECK(read.method == verb::post);
        CHECK(read.target == "/a?b");
        CHECK(read.headers.find("x-y") == "z");
        CHECK(read.body == "body");
    }
}

TEST_CASE("a chunked body is assembled")
{
    request_reader reader(limits);
    reader.start();
    auto const got =
        feed(reader,
             "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", 1);
    REQUIRE(got == progress::done);
    CHECK(reader.take().body == "abcde");
}

TEST_CASE("parsing one pipelined request leaves the bytes of the next")
{
    std::string const two = "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n";
    request_reader reader(limits);
    reader.start();
    std::size_t used = 0;
    REQUIRE(reader.put(two, used) == progress::done);
    CHECK(used == two.size() / 2);
}

TEST_CASE("malformed requests are distinguished from requests that are too large")
{
    std::string const start = "POST / HTTP/1.1\r\nHost: x\r\n";
    CHECK(read_request("hello\r\n\r\n") == progress::malformed);
    CHECK(read_request("GET / HTTP/3.7\r\n\r\n") == progress::malformed);
    CHECK(read_request("GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n") == progress::malformed);
    CHECK(read_request(start + "No Colon\r\n\r\n") == progress::malformed);
    CHECK(read_request(start + "Content-Length: -1\r\n\r\n") == progress::malformed);
    CHECK(read_request(start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab") == progress::malformed);
    CHECK(read_request(start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n") == progress::malformed);
    CHECK(read_request(start + "Content-Length: 2001\r\n\r\n") == progress::body_too_large);
    CHECK(read_request(start + "Content-Length: 18446744073709551615\r\n\r\n") == progress::body_too_large);
    CHECK(read_request(start + "Transfer-Encoding: chunked\r\n\r\nfffffff\r\n") == progress::body_too_large);
    CHECK(read_request(start + "A: " + std::string(2'000, 'a')) == progress::header_too_large);
    CHECK(read_request("GET /" + std::string(2'000, 'a')) == progress::header_too_large);
}

TEST_CASE("a request names its host once")
{
    CHECK(read_request("GET / HTTP/1.1\r\n\r\n") == progress::bad_host);
    CHECK(read_request("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n") == progress::bad_host);
    CHECK(read_request("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n") == progress::bad_host);
    CHECK(read_request("GET http://a/ HTTP/1.1\r\n\r\n") == progress::bad_host);
    CHECK(read_request("GET / HTTP/1.1\r\nHost:\r\n\r\n") == progress::done);
    CHECK(read_request("GET / HTTP/1.0\r\n\r\n") == progress::done);
}

TEST_CASE("the header limit covers the sum of many small fields that arrive one by one")
{
    auto const piece = GENERATE(3u, 800u);
    std::string bytes = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 250; ++i)
        bytes += "A: b\r\n";
    bytes += "\r\n";
    request_reader reader(limits);
    reader.start();
    CHECK(feed(reader, bytes, piece) == progress::header_too_large);
}

TEST_CASE("Expect: 100-continue is recognised before the body arrives")
{
    request_reader reader(limits);
    reader.start();
    CHECK(feed(reader, "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n", 1'000) ==
          progress::need_more);
    CHECK(reader.expects_continue());
    CHECK(feed(reader, "abc", 3) == progress::done);
    CHECK_FALSE(reader.expects_continue());
}

TEST_CASE("answers are parsed after interim answers, without a length up to the end, and for HEAD without a body")
{
    response_reader reader(limits);
    reader.start(false);
    CHECK(feed(reader, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 1) ==
          progress::done);
    CHECK(reader.take().body == "hi");
    CHECK(reader.keeps_alive());

    reader.start(false);
    CHECK(feed(reader, "HTTP/1.1 200 OK\r\n\r\nto the end", 4) == progress::need_more);
    CHECK(reader.end() == progress::done);
    CHECK(reader.take().body == "to the end");
    CHECK_FALSE(reader.keeps_alive());

    reader.start(true);
    CHECK(feed(reader, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", 50) == progress::done);
    CHECK(reader.keeps_alive());

    reader.start(false);
    CHECK(feed(reader, "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nhalf", 50) == progress::need_more);
    CHECK(reader.end() == progress::malformed);
}

TEST_CASE("a rendered message parses to the same message, and a caller cannot set the transport's own fields")
{
    response answer;
    answer.status = 409;
    answer.headers.set("X-Epoch", "7");
    answer.headers.set("Content-Length", "999");
    answer.headers.set("connection", "upgrade");
    answer.body = "stale";
    std::string head;
    render_head(head, answer, false, true);
    CHECK(head == "HTTP/1.1 409 Conflict\r\nX-Epoch: 7\r\nContent-Length: 5\r\n\r\n");
    render_head(head, response{204, {}, {}}, false, false);
    CHECK(head == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");

    request asked;
    asked.target = "/x";
    render_head(head, asked, parse_url("http://[::1]:7800/base/"));
    CHECK(head == "GET /base/x HTTP/1.1\r\nHost: [::1]:7800\r\n\r\n");
    for (auto const* target : {"/a b", "/a\r\nX: y", "a", ""}) {
        asked.target = target;
        CHECK_THROWS_AS(render_head(head, asked, parse_url("http://h")), invalid_input);
    }
}

} // namespace wire_test
