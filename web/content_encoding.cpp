#include "web/content_encoding.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace baton::web {

namespace {

// Without the spaces and tabs, and in lower case.
std::string folded(std::string_view text)
{
    std::string result;
    for (unsigned char const each : text)
        if (each != ' ' && each != '\t')
            result += static_cast<char>(std::tolower(each));
    return result;
}

bool is_zero(std::string_view quality)
{
    return quality.starts_with("0") && quality.find_first_of("123456789") == std::string_view::npos;
}

// The weight that the field gives one coding; nothing if it does not name it.
std::optional<bool> admits_by_name(std::string_view field, std::string_view coding)
{
    while (!field.empty()) {
        auto const element = field.substr(0, field.find(','));
        field.remove_prefix(std::min(element.size() + 1, field.size()));
        if (element.substr(0, element.find(';')) != coding)
            continue;
        auto const at = element.find(";q=");
        return at == std::string_view::npos || !is_zero(element.substr(at + 3));
    }
    return std::nullopt;
}

bool admits(std::string_view field, std::string_view coding)
{
    auto const named = admits_by_name(field, coding);
    return named ? *named : admits_by_name(field, "*").value_or(false);
}

} // namespace

char const* name_of(content_encoding which)
{
    switch (which) {
    case content_encoding::gzip:
        return "gzip";
    case content_encoding::brotli:
        return "br";
    case content_encoding::identity:
        break;
    }
    return "identity";
}

content_encoding choose_encoding(std::optional<std::string> const& accepted, offered_encodings offered)
{
    auto const field = folded(accepted.value_or(""));
    if (offered.brotli && admits(field, "br"))
        return content_encoding::brotli;
    if (offered.gzip && (admits(field, "gzip") || admits(field, "x-gzip")))
        return content_encoding::gzip;
    return content_encoding::identity;
}

} // namespace baton::web
