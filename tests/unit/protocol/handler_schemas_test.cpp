#include "libs/base/error.hpp"
#include "libs/protocol/handler_schemas.hpp"

#include <catch2/catch.hpp>

namespace handler_schemas_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

namespace {

std::vector<std::string> const handlers{"close-day", "remind"};

handler_schema entry(std::string handler, json const& schema, std::string description = {})
{
    handler_schema one;
    one.handler = std::move(handler);
    one.schema = json_text(schema);
    one.description = std::move(description);
    return one;
}

// A schema whose entry has this many bytes by itself.
handler_schema of_size(std::string handler, std::size_t bytes)
{
    auto const empty = json{{"title", ""}}.dump().size() + handler.size();
    auto one = entry(handler, json{{"title", std::string(bytes - empty, 'x')}});
    REQUIRE(bytes_of(one) == bytes);
    return one;
}

// The refusal; "taken" if there is none.
std::string refusal(std::vector<handler_schema> const& all, std::vector<std::string> const& served = handlers)
{
    try {
        check(all, served);
    } catch (invalid_input const& wrong) {
        CHECK(wrong.field() == "schemas");
        return wrong.what();
    }
    return "taken";
}

} // namespace

TEST_CASE("a schema is a JSON object or a boolean, and a description alone will do", "[protocol]")
{
    CHECK(refusal({}) == "taken");
    CHECK(refusal({entry("close-day", json::object()), entry("remind", true)}) == "taken");
    CHECK(refusal({entry("close-day", false)}) == "taken");
    CHECK(refusal({entry("close-day", nullptr, "Closes a day")}) == "taken");
    for (json const& wrong : {json("object"), json(7), json::array({1}), json("true")}) {
        CAPTURE(wrong.dump());
        CHECK_THAT(refusal({entry("close-day", wrong)}),
                   Catch::Contains("the schema of the handler 'close-day' must be a JSON Schema"));
    }
    CHECK_THAT(refusal({entry("remind", nullptr)}), Catch::Contains("'remind' announces nothing"));
}

TEST_CASE("each of a client's handlers is announced at most once, and no other handler", "[protocol]")
{
    CHECK_THAT(refusal({entry("send", true)}), Catch::Contains("'send' is not among handlers"));
    CHECK_THAT(refusal({entry("remind", true), entry("close-day", true), entry("remind", false)}),
               Catch::Contains("'remind' has two entries"));
    CHECK(refusal({entry("remind", true)}, {"remind", "remind"}) == "taken");
}

TEST_CASE("a description is one line of at most 200 characters", "[protocol]")
{
    std::string wide;
    for (int i = 0; i < 200; ++i)
        wide += "\xe6\x97\xa5";
    CHECK(refusal({entry("remind", nullptr, wide)}) == "taken");
    CHECK_THAT(refusal({entry("remind", nullptr, wide + "x")}), Catch::Contains("must be one line of at most 200"));
    CHECK_THAT(refusal({entry("remind", nullptr, "two\nlines")}), Catch::Contains("must be one line"));
}

TEST_CASE("an entry has at most 8 KiB and all entries of a client 64 KiB", "[protocol]")
{
    CHECK(refusal({of_size("remind", most_schema_bytes)}) == "taken");
    CHECK_THAT(refusal({of_size("remind", most_schema_bytes + 1)}),
               Catch::Contains("'remind' has 8193 bytes and may have 8192"));
    std::vector<handler_schema> all;
    std::vector<std::string> served;
    for (char name = 'a'; name < 'i'; ++name) {
        served.emplace_back(1, name);
        all.push_back(of_size(served.back(), most_schema_bytes));
    }
    CHECK(refusal(all, served) == "taken");
    served.emplace_back("j");
    all.push_back(entry("j", true));
    CHECK_THAT(refusal(all, served), Catch::Contains("together have 65541 bytes and may have 65536"));
}

TEST_CASE("the name of a document follows from what is announced and not from the order of the list", "[protocol]")
{
    auto const first = entry("remind", json{{"type", "object"}}, "it's \xc3\xa9");
    auto const second = entry("close-day", true);
    auto const document = document_of({first, second});
    CHECK(document == document_of({second, first}));
    CHECK(parse_schema_document(document) == std::vector<handler_schema>{second, first});
    CHECK(schema_set_of(document).size() == 32);
    auto const other = document_of({entry("remind", json{{"type", "array"}}, "it's \xc3\xa9"), second});
    CHECK(schema_set_of(other) != schema_set_of(document));
}

} // namespace handler_schemas_test
