#include "libs/protocol/fetch_wire.hpp"

#include "libs/protocol/wire_macros.hpp"

namespace baton::protocol {

namespace {
constexpr int message_depth = 72; // a value of 64 levels, and the message around it
}

void to_json(nlohmann::json& out, message_text const& in)
{
    out = nlohmann::json::parse(in.text);
}

void from_json(nlohmann::json const& in, message_text& out)
{
    out.text = in.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_json(std::string& out, message_text const& in)
{
    out += in.text;
}

void read_value(simdjson::ondemand::value& in, char const*, message_text& out)
{
    out.text = whole_text(in, message_depth);
}

BATON_WIRE(fetched_call, call, path, body)
BATON_WIRE(call_answer, call, status, body)
BATON_WIRE(fetch_request, instance, secret, generation, ticket, poll, node, number, answers)
BATON_WIRE(fetch_answer, node, number, calls)

BATON_TEXT(fetch_request)
BATON_TEXT(fetch_answer)

} // namespace baton::protocol
