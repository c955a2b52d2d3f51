// Descriptions and schemas of handlers that a service announces.

#include "baton/client/service.hpp"
#include "tests/unit/client-sdk/fake_node.hpp"

namespace handler_info_test {

using namespace baton;
using namespace baton::client::test;
using baton::client::execution;
using baton::client::handler_info;
using baton::client::result;
using nlohmann::json;

namespace {

result nothing(execution&)
{
    return result::ok();
}

// A service that does not start.
struct idle_service {
    client::service service{{.name = "billing", .triggers = {"http://127.0.0.1:1"}}};

    std::string refusal(std::string const& name, handler_info const& about)
    {
        try {
            service.handle(name, nothing, about);
        } catch (std::invalid_argument const& wrong) {
            return wrong.what();
        }
        return "taken";
    }
};

handler_info with_schema(json schema)
{
    handler_info about;
    about.payload_schema = std::move(schema);
    return about;
}

} // namespace

TEST_CASE("a service announces the schemas and descriptions of its handlers when it registers", "[client]")
{
    fake_node node;
    client::service service{{.name = "billing", .triggers = {node.url()}}};
    json const schema{{"type", "object"}, {"required", json::array({"day"})}};
    service.handle("close-day", nothing, {.description = "Closes a day", .payload_schema = schema});
    service.handle("anything", nothing, {.payload_schema = true});
    service.handle("described", nothing, {.description = "Does it"});
    service.handle("plain", nothing);
    service.start();
    REQUIRE(node.wait(registered));
    service.stop();
    auto const told = node.snapshot().registrations[0].schemas;
    REQUIRE(told.size() == 3);
    CHECK(told[0].handler == "close-day");
    CHECK(told[0].schema.parse() == schema);
    CHECK(told[0].description == "Closes a day");
    CHECK(told[1].schema.view() == "true");
    CHECK(told[2].schema.is_null());
}

TEST_CASE("an invalid or too large schema is refused with the name of its handler", "[client]")
{
    idle_service f;
    CHECK_THAT(f.refusal("close-day", with_schema("text")),
               Catch::StartsWith("handler: ") && Catch::Contains("'close-day' must be a JSON Schema"));
    CHECK_THAT(f.refusal("close-day", with_schema({{"title", std::string(8'192, 'x')}})),
               Catch::Contains("'close-day'") && Catch::Contains("may have 8192"));
    handler_info about;
    about.description = "two\nlines";
    CHECK_THAT(f.refusal("close-day", about), Catch::Contains("'close-day' must be one line"));
    CHECK(f.refusal("close-day", {}) == "taken"); // none of the refused ones was kept
}

TEST_CASE("the schemas of all handlers of a service have at most 64 KiB", "[client]")
{
    idle_service f;
    auto const large = with_schema({{"title", std::string(8'000, 'x')}});
    for (int i = 0; i < 8; ++i)
        REQUIRE(f.refusal("h" + std::to_string(i), large) == "taken");
    CHECK_THAT(f.refusal("h8", large), Catch::Contains("with the schema of 'h8'") && Catch::Contains("may have 65536"));
    CHECK(f.refusal("h8", {}) == "taken");
}

} // namespace handler_info_test
