#include "tests/unit/trigger/clients/two_nodes.hpp"
#include "trigger/api/authorize.hpp"

#include <catch2/catch.hpp>

namespace registration_input_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// The field that a registration is refused for; empty if it is accepted.
std::string refused_field(protocol::register_request const& request)
{
    sim::stage stage(1);
    stage.make_tables();
    auto& host = stage.add_host("node");
    auto const database = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
    registry clients({}, "node", *database, host.time(), stage.loop.get_executor());
    host.spawn(clients.write_rows());
    std::string field;
    auto call = [&]() -> awaitable<void> {
        try {
            co_await clients.join(request);
        } catch (invalid_input const& wrong) {
            field = wrong.field();
        }
    };
    stage.play(call());
    stage.end();
    return field;
}

} // namespace

TEST_CASE("a client that fetches needs no address; every other client does")
{
    auto request = make_request();
    request.delivery = protocol::delivery_way::fetch;
    CHECK(refused_field(request) == "address");
    request.address = "";
    CHECK(refused_field(request).empty());
    request.delivery = protocol::delivery_way::push;
    CHECK(refused_field(request) == "address");
}

TEST_CASE("a secret that is not valid in a header is refused when the client registers")
{
    CHECK(refused_field(make_request()).empty());
    for (std::string const odd :
         {"\r\nX-Forged: yes!!", "with spaces in it", "\xc3\xa9t\xc3\xa9 \xc3\xa9t\xc3\xa9 1234"}) {
        auto request = make_request();
        request.secret = odd;
        INFO(odd);
        CHECK(refused_field(request) == "secret");
    }
}

TEST_CASE("a client's service and version may not contain control characters")
{
    auto request = make_request();
    request.service = "billing\nelection: PROMOTED";
    CHECK(refused_field(request) == "service");
    request = make_request();
    request.version = "1.0\x1b[2J";
    CHECK(refused_field(request) == "version");
}

TEST_CASE("a client's project and service are names that a task can have")
{
    for (std::string const odd : {"", "a/b", "a\\b", " a", "a\n"}) {
        INFO(odd);
        auto request = make_request();
        request.project = odd;
        CHECK(refused_field(request) == "project");
        request = make_request();
        request.service = odd;
        CHECK(refused_field(request) == "service");
    }
    auto request = make_request();
    request.project = std::string(65, 'p');
    CHECK(refused_field(request) == "project");
    request.project.pop_back();
    CHECK(refused_field(request).empty());
}

TEST_CASE("a client of another release is refused with a message that names both revisions")
{
    auto request = make_request();
    request.revision = protocol::wire_revision + 1;
    CHECK(refused_field(request) == "revision");
    CHECK(protocol::revision_error("the client", 7) ==
          "the client speaks revision 7 of the protocol and this node speaks revision " +
              std::to_string(protocol::wire_revision) + ": use the same release of baton for both");
}

TEST_CASE("a message from a node of another release is refused")
{
    http::request message;
    REQUIRE(refuse_revision(message)); // an older one, which sends no revision
    CHECK(refuse_revision(message)->status == 400);
    CHECK_THAT(refuse_revision(message)->body, Catch::Contains("the caller speaks revision 0"));
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    CHECK_FALSE(refuse_revision(message));
}

TEST_CASE("a registration without a number is refused")
{
    auto request = make_request();
    request.generation = 0;
    CHECK(refused_field(request) == "generation");
}

} // namespace registration_input_test
