#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace baton::protocol {

// A payload or a result: the text of one JSON value. It is checked where it enters (web, or the parser of the message
// that contains it) and then passed on as it is; only the handler and the pages that show it look inside. null, the
// default, is kept as no text. Copies share the text.
class json_text {
public:
    json_text() = default;

    // Renders the value; bytes that are not UTF-8 become U+FFFD. A value that the JSON parser discarded becomes null.
    explicit json_text(nlohmann::json const& value);

    // Text that has been checked before.
    static json_text checked(std::string text);
    // Text from elsewhere. Throws invalid_input naming the field unless it is one JSON value.
    static json_text check(std::string text, std::string const& field);

    bool is_null() const { return text_ == nullptr; }
    std::string_view view() const { return is_null() ? std::string_view("null") : std::string_view(*text_); }
    std::size_t size() const { return view().size(); } // in bytes
    nlohmann::json parse() const { return nlohmann::json::parse(view()); }

    bool operator==(json_text const& other) const { return text_ == other.text_ || view() == other.view(); }

private:
    void keep(std::string text);

    std::shared_ptr<std::string const> text_; // null for null
};

void to_json(nlohmann::json& out, json_text const& in);
void from_json(nlohmann::json const& in, json_text& out);

} // namespace baton::protocol
