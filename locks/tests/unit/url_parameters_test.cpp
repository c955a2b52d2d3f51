// The parameters at the end of a store's URL.

#include "locks/core/url_parameters.hpp"

#include <catch2/catch.hpp>

using namespace baton::lock;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("parameters are read from the query of a URL, and absent ones have their default")
{
    auto const [base, parameters] = split_parameters("zookeeper://a,b/chroot?session=2500ms&wait_replicas=7&user=me");
    CHECK(base == "zookeeper://a,b/chroot");
    CHECK(parameters.span("session", 200ms, 1h, 10s) == 2500ms);
    CHECK(parameters.number("wait_replicas", 0, 100, 0) == 7);
    CHECK(parameters.text("user") == "me");
    CHECK(parameters.span("other", 200ms, 1h, 10s) == 10s);
    CHECK(parameters.number("other", 0, 100, 3) == 3);
    CHECK(parameters.text("other").empty());
}

TEST_CASE("a URL without a query has no parameters")
{
    CHECK(split_parameters("redis://a:1/0").base == "redis://a:1/0");
    CHECK_NOTHROW(split_parameters("redis://a").parameters.check_names("Redis", {}));
}

TEST_CASE("a '?' in the password of a URL does not begin the parameters")
{
    auto const split = split_parameters("redis://me:what?@a:1/0?wait_replicas=1");
    CHECK(split.base == "redis://me:what?@a:1/0");
    CHECK(split.parameters.number("wait_replicas", 0, 100, 0) == 1);
}

TEST_CASE("values are decoded from %xx")
{
    CHECK(url_parameters("password=a%26b%3dc%40%25").text("password") == "a&b=c@%");
    CHECK_THROWS_WITH(url_parameters("password=secret%4"), Contains("password") && !Contains("secret"));
}

TEST_CASE("times are written with a unit")
{
    auto const read = [](std::string const& text) { return url_parameters("t=" + text).span("t", 200ms, 1h, 10s); };
    CHECK(read("200ms") == 200ms);
    CHECK(read("10s") == 10s);
    CHECK(read("2m") == 2min);
    for (auto const* const text : {"", "10", "s", "1h", "1.5s", "-1s"})
        CHECK_THROWS_WITH(read(text), Contains("'t'") && Contains("10s"));
    for (auto const* const text : {"199ms", "3601s", "9223372036854775807m"})
        CHECK_THROWS_WITH(read(text), Contains("200ms to 3600s"));
}

TEST_CASE("an error names the parameter, the reason and the remedy")
{
    CHECK_THROWS_WITH(url_parameters("a=1&a=2"), Contains("'a'") && Contains("twice"));
    CHECK_THROWS_WITH(url_parameters("a"), Contains("?name=value"));
    CHECK_THROWS_WITH(url_parameters(""), Contains("?name=value"));
    CHECK_THROWS_WITH(url_parameters("n=101").number("n", 0, 100, 0), Contains("'n'") && Contains("0 to 100"));
    CHECK_THROWS_WITH(url_parameters("n=1x").number("n", 0, 100, 0), Contains("0 to 100"));
    CHECK_THROWS_WITH(url_parameters("sesion=1s").check_names("ZooKeeper", {"session"}),
                      Contains("sesion") && Contains("ZooKeeper has no such parameter") && Contains("use session"));
}
