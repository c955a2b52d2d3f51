#include "libs/base/error.hpp"
#include "libs/base/random.hpp"
#include "libs/http/parse_as.hpp"
#include "libs/protocol/revision.hpp"
#include "trigger/clients/register_check.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace register_check_test {

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::register_request good()
{
    protocol::register_request request;
    request.revision = protocol::wire_revision;
    request.service = "billing";
    request.instance = "host:1";
    request.address = "http://127.0.0.1:4711";
    request.secret = "0123456789abcdef";
    request.handlers = {"close-day"};
    request.generation = 1;
    return request;
}

// The field that the refusal names, or "nothing".
template <class Check>
std::string refused_field(Check check)
{
    try {
        check();
    } catch (invalid_input const& wrong) {
        return wrong.field();
    }
    return "nothing";
}

// Changes, inserts or removes one byte behind `begin`.
void change(std::string& text, std::size_t begin, random_source& random)
{
    static std::string const bytes("{}[]\",:\\ntf0-\xff\x01 u");
    auto const at = begin + random.below(text.size() - begin);
    auto const byte = bytes[random.below(bytes.size())];
    switch (random.below(3)) {
    case 0:
        text[at] = byte;
        break;
    case 1:
        text.insert(at, 1, byte);
        break;
    default:
        text.erase(at, 1);
    }
}

} // namespace

TEST_CASE("names of a registration are counted in characters and have no control characters")
{
    auto const field = [](auto change) {
        auto request = good();
        change(request);
        return refused_field([&] { check(request); });
    };
    std::string wide;
    for (int i = 0; i < 100; ++i)
        wide += "\xe6\x97\xa5";
    CHECK(field([&](auto& request) { request.service = wide; }) == "nothing");
    CHECK(field([&](auto& request) { request.service = wide + "x"; }) == "service");
    CHECK(field([](auto& request) { request.service = "a\xc2\x9b"; }) == "service");
    CHECK(field([](auto& request) { request.project = "a\xc2\x9b"; }) == "project");
    CHECK(field([&](auto& request) { request.handlers = {wide + "x"}; }) == "nothing");
    CHECK(field([](auto& request) { request.handlers = {std::string(151, 'h')}; }) == "handlers");
    CHECK(field([](auto& request) { request.handlers = {"a\nb"}; }) == "handlers");
    CHECK(field([](auto& request) { request.handlers = {"/gpu"}; }) == "handlers"); // would be a tag
    CHECK(field([](auto& request) { request.tags = {"gpu", "zone:eu-1"}; }) == "nothing");
    CHECK(field([](auto& request) { request.tags = {"two words"}; }) == "tags");
    CHECK(field([](auto& request) { request.tags = {""}; }) == "tags");
    CHECK(field([](auto& request) { request.tags = std::vector<std::string>(33, "a"); }) == "tags");
}

TEST_CASE("the names of all handlers of a registration have a bound in bytes, and the refusal says what to do")
{
    auto request = good();
    request.handlers.assign(2'048, std::string(128, 'h')); // 256 KiB
    CHECK(refused_field([&] { check(request); }) == "nothing");
    request.handlers.back() += 'h';
    CHECK(refused_field([&] { check(request); }) == "handlers");
    CHECK_THROWS_WITH(check(request), "handlers has names of 262145 bytes together, and may have 262144: shorten them, "
                                      "or spread the handlers over several services");
}

TEST_CASE("the schemas of a registration are checked against its handlers")
{
    auto request = good();
    request.schemas.push_back({"close-day", protocol::json_text(nlohmann::json::object()), "Closes a day"});
    CHECK(refused_field([&] { check(request); }) == "nothing");
    request.schemas[0].handler = "open-day";
    CHECK(refused_field([&] { check(request); }) == "schemas");
}

TEST_CASE("the schemas of a registration changed at random are refused with a reason, or can be stored and read again")
{
    auto whole = good();
    whole.schemas.push_back({"close-day", protocol::json_text(nlohmann::json{{"type", "object"}}), "Closes \xc3\xa9"});
    whole.schemas.push_back({"remind", protocol::json_text(nlohmann::json(true)), ""});
    whole.handlers.emplace_back("remind");
    auto const text = nlohmann::json(whole).dump();
    seeded_random random(7);
    int stored = 0;
    for (int round = 0; round < 20'000; ++round) {
        auto changed = text;
        for (int i = 0; i < 1 + round % 3; ++i)
            change(changed, text.find("\"schemas\""), random);
        try {
            auto const request = http::parse_as<protocol::register_request>(changed);
            check(request);
            auto const document = protocol::document_of(request.schemas);
            stored += protocol::parse_schema_document(document).size() == request.schemas.size() ? 1 : 0;
        } catch (invalid_input const&) {
            continue;
        }
    }
    CHECK(stored > 100);
}

TEST_CASE(
    "a heartbeat without an instance, with a negative number of free slots or of an impossible time is refused by name")
{
    protocol::heartbeat_request beat;
    CHECK(refused_field([&] { check(beat); }) == "instance");
    beat.instance = "host:1";
    CHECK(refused_field([&] { check(beat); }) == "nothing");
    beat.free_slots = -1;
    CHECK(refused_field([&] { check(beat); }) == "free_slots");
    beat.free_slots = 0;
    beat.clock_ms = -1;
    CHECK(refused_field([&] { check(beat); }) == "clock_ms");
    beat.clock_ms = std::numeric_limits<std::int64_t>::max();
    CHECK(refused_field([&] { check(beat); }) == "clock_ms");
}

} // namespace register_check_test
