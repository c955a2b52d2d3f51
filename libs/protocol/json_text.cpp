#include "libs/protocol/json_text.hpp"

#include "libs/base/error.hpp"

namespace baton::protocol {

json_text::json_text(nlohmann::json const& value)
{
    if (value.is_null())
        return;
    auto text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    // A value that the parser discarded is written as this word, which is not JSON. Only then is the text parsed again.
    bool const suspect = text.find("<discarded>") != text.npos;
    if (!suspect || nlohmann::json::accept(text))
        keep(std::move(text));
}

void json_text::keep(std::string text)
{
    if (!text.empty())
        text_ = std::make_shared<std::string const>(std::move(text));
}

json_text json_text::checked(std::string text)
{
    json_text out;
    if (text != "null")
        out.keep(std::move(text));
    return out;
}

json_text json_text::check(std::string text, std::string const& field)
{
    if (!nlohmann::json::accept(text))
        throw invalid_input(field, field + " is not JSON");
    return checked(std::move(text));
}

void to_json(nlohmann::json& out, json_text const& in)
{
    out = in.parse();
}

void from_json(nlohmann::json const& in, json_text& out)
{
    out = json_text(in);
}

} // namespace baton::protocol
