#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/node_wire.hpp"
#include "libs/protocol/service_key.hpp"

#include <catch2/catch.hpp>

namespace service_key_test {

using namespace baton;
using namespace baton::protocol;
using nlohmann::json;

TEST_CASE("the default project is left out of messages, and a message without a project means it")
{
    register_request joining;
    joining.service = "billing";
    CHECK_FALSE(json(joining).contains("project"));
    CHECK(json::object().get<register_request>().project == "default");
    joining.project = "finance";
    CHECK(json(joining).get<register_request>().project == "finance");

    assign_request assigned;
    assigned.executions.resize(2);
    assigned.executions[1].project = "finance";
    auto const text = to_text(assigned);
    CHECK(text.find("project") == text.rfind("project"));
    assign_request read;
    from_text(text, read);
    CHECK(read.executions.at(0).project == "default");
    CHECK(read.executions.at(1).project == "finance");

    report_request reported;
    reported.capacity = {1, {{"default", "billing", {}}, {"finance", "billing", {}}}};
    auto const told = to_text(reported);
    CHECK(told.find("default") == std::string::npos);
    report_request heard;
    from_text(told, heard);
    CHECK(heard.capacity.services == reported.capacity.services);
}

TEST_CASE("a service is named with its project, unless that is the default")
{
    CHECK(to_text(service_key{"default", "billing"}) == "billing");
    CHECK(to_text(service_key{"finance", "billing"}) == "finance/billing");
    service_table<int> numbers;
    value_of(numbers, service_view{"default", "billing"}) = 1;
    value_of(numbers, service_view{"finance", "billing"}) = 2;
    CHECK(numbers.size() == 2);
    CHECK(value_of(numbers, service_view{"default", "billing"}) == 1);
    CHECK_FALSE(numbers.contains(service_view{"billing", "default"}));
}

} // namespace service_key_test
