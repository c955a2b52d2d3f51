#include "libs/base/error.hpp"
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
