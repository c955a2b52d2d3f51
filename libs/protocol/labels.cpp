#include "libs/protocol/labels.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/field_examples.hpp"

#include <algorithm>

namespace baton::protocol {

namespace {

bool is_name(std::string_view text)
{
    auto const plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' || c == '/';
    };
    return !text.empty() && text.size() <= longest_label_name && std::ranges::all_of(text, plain);
}

bool is_value(std::string_view text)
{
    return count_characters(std::string(text)) <= longest_label_value && !has_control(text) &&
           text.find(',') == std::string_view::npos;
}

[[noreturn]] void refuse_name(std::string const& field, std::string_view name)
{
    throw invalid_input(field, "the name of a label has 1 to 63 characters of a-z, 0-9, '.', '_', '-' and '/', such as "
                               "team, not " +
                                   in_quotes(name));
}

[[noreturn]] void refuse_value(std::string const& field, std::string_view value)
{
    throw invalid_input(field, field +
                                   " must have at most 100 characters, without commas and control characters, not " +
                                   in_quotes(value));
}

} // namespace

labels parse_labels(nlohmann::json const& value)
{
    if (!value.is_object() || value.size() > most_labels)
        throw invalid_input("labels", "labels must be an object with at most " + std::to_string(most_labels) +
                                          " members, such as {\"team\": \"billing\"}");
    labels all;
    for (auto const& [name, text] : value.items()) {
        if (!is_name(name))
            refuse_name("labels", name);
        if (!text.is_string())
            throw invalid_input("labels." + name,
                                "labels." + name + " must be a string; write for example " + example_of("labels"));
        if (!is_value(text.get_ref<std::string const&>()))
            refuse_value("labels." + name, text.get_ref<std::string const&>());
        all[name] = text.get<std::string>();
    }
    return all;
}

labels parse_label_filter(std::string_view text)
{
    labels wanted;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find(',', at), text.size());
        auto const one = text.substr(at, end - at);
        auto const colon = one.find(':');
        if (colon == std::string_view::npos)
            throw invalid_input("label",
                                "label must be a name and a value, such as team:billing, not " + in_quotes(one));
        if (!is_name(one.substr(0, colon)))
            refuse_name("label", one.substr(0, colon));
        if (!is_value(one.substr(colon + 1)))
            refuse_value("label", one.substr(colon + 1));
        if (!wanted.emplace(one.substr(0, colon), one.substr(colon + 1)).second)
            throw invalid_input("label", "label names " + in_quotes(one.substr(0, colon)) + " twice");
        at = end + 1;
    }
    if (wanted.size() > most_labels)
        throw invalid_input("label", "label must name at most " + std::to_string(most_labels) + " labels");
    return wanted;
}

void check_owner(std::string const& text)
{
    if (has_control(text) || text.starts_with(' ') || text.ends_with(' '))
        throw invalid_input("owner", "owner must have no control characters, and no space at its ends");
}

} // namespace baton::protocol
