#include "libs/base/error.hpp"
#include "tests/support/stores.hpp"
#include "trigger/clients/registry.hpp"

#include <catch2/catch.hpp>

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::register_request make_request()
{
    protocol::register_request request;
    request.service = "billing";
    request.instance = "host:1";
    request.address = "http://127.0.0.1:4711";
    request.secret = "0123456789abcdef";
    request.handlers = {"close-day"};
    return request;
}

// The field that a registration is refused for; nothing when it is taken.
std::string refused_field(protocol::register_request request)
{
    test::store home(storage::engine::sqlite);
    home.migrated();
    auto const shared = home.open();
    system_time time;
    registry clients({}, "node", *shared, time);
    try {
        test::wait_for(clients.join(std::move(request)));
    } catch (invalid_input const& wrong) {
        return wrong.field();
    }
    return {};
}

} // namespace

TEST_CASE("a secret that cannot stand in a header is refused when the client registers")
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

TEST_CASE("a client's service and version cannot write lines of their own into the log")
{
    auto request = make_request();
    request.service = "billing\nelection: PROMOTED";
    CHECK(refused_field(request) == "service");
    request = make_request();
    request.version = "1.0\x1b[2J";
    CHECK_FALSE(refused_field(request).empty());
}
