#include "libs/protocol/term_id.hpp"

#include "libs/protocol/wire_json.hpp"

namespace baton::protocol {

void append_member(std::string& out, char const*, term_id const& value)
{
    if (value.name_space != first_namespace)
        append_member(out, "namespace", value.name_space);
    append_member(out, "epoch", value.epoch);
}

void write_member(nlohmann::json& object, char const*, term_id const& value)
{
    if (value.name_space != first_namespace)
        object["namespace"] = value.name_space;
    object["epoch"] = value.epoch;
}

void read_member(nlohmann::json const& object, char const*, term_id& out, term_id const& otherwise)
{
    read_member(object, "namespace", out.name_space, otherwise.name_space);
    read_member(object, "epoch", out.epoch, otherwise.epoch);
}

bool read_field(std::string_view key, simdjson::ondemand::value& in, char const*, term_id& out)
{
    return read_field(key, in, "namespace", out.name_space) || read_field(key, in, "epoch", out.epoch);
}

void append_json(std::string& out, term_id const& in)
{
    out += '{';
    append_member(out, "", in);
    out += '}';
}

void read_fields(simdjson::ondemand::object& in, term_id& out)
{
    for (auto field : in) {
        std::string_view const key = field.unescaped_key();
        simdjson::ondemand::value value = field.value();
        if (!read_field(key, value, "", out))
            skip_value(value);
    }
}

void to_json(nlohmann::json& out, term_id const& in)
{
    out = nlohmann::json::object();
    write_member(out, "", in);
}

void from_json(nlohmann::json const& in, term_id& out)
{
    read_member(in, "", out, term_id{});
}

} // namespace baton::protocol
