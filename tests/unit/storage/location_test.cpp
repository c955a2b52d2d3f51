#include "libs/storage/database.hpp"

#include <catch2/catch.hpp>

namespace location_test {

using namespace baton;
using storage::parse_location;

TEST_CASE("a MySQL address is read with all its parts, and defaults to port 3306")
{
    auto const full = parse_location("mysql://me:secret@10.0.0.1:3307/baton");
    CHECK(full.engine == storage::engine::mysql);
    CHECK(full.user == "me");
    CHECK(full.password == "secret");
    CHECK(full.host == "10.0.0.1");
    CHECK(full.port == 3307);
    CHECK(full.name == "baton");

    auto const brief = parse_location("mysql://me@db/baton");
    CHECK(brief.port == 3306);
    CHECK(brief.password.empty());
}

TEST_CASE("user and password may hold any character in percent-encoding")
{
    auto const where = parse_location("mysql://m%40e:p%2f%3A%27%5c@h/db");
    CHECK(where.user == "m@e");
    CHECK(where.password == "p/:'\\");
    CHECK(parse_location("mysql://me:a@b:c@h/db").password == "a@b:c");
}

TEST_CASE("an IPv6 host is written in brackets")
{
    auto const where = parse_location("mysql://me@[::1]:3310/db");
    CHECK(where.host == "::1");
    CHECK(where.port == 3310);
    CHECK(where.text() == "mysql://me@[::1]:3310/db");
    CHECK(parse_location("mysql://me@[::1]/db").port == 3306);
}

TEST_CASE("the text of a database address never shows the password")
{
    CHECK(parse_location("mysql://me:secret@h:1/db").text() == "mysql://me@h:1/db");
    CHECK(parse_location("sqlite:/var/lib/baton.db").text() == "sqlite:/var/lib/baton.db");
}

TEST_CASE("an invalid database address is refused, and the error names the field")
{
    auto const text = GENERATE("", "baton.db", "sqlite:", "postgres://me@h/db", "mysql://me@h", "mysql://me@h/",
                               "mysql://h/db", "mysql://:pw@h/db", "mysql://me@:3306/db", "mysql://me@h:0/db",
                               "mysql://me@h:65536/db", "mysql://me@h:x/db", "mysql://me@[::1/db",
                               "mysql://me@[::1]x/db", "mysql://m%4@h/db", "mysql://m%zz@h/db", "sqlite:/a\"b");
    INFO(text);
    try {
        parse_location(text);
        FAIL("accepted");
    } catch (invalid_input const& refusal) {
        CHECK(refusal.field() == "database");
    }
}

} // namespace location_test
