#include "locks/core/url_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace baton::lock {

namespace {

using std::chrono::milliseconds;

[[noreturn]] void refuse_parameter(std::string const& name, std::string const& text)
{
    throw std::invalid_argument("lock store: URL parameter '" + name + "': " + text);
}

std::string decoded_value(std::string const& name, std::string const& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned value = 0;
        auto const* const digits = text.data() + i + 1;
        auto const* const end = digits + std::min<std::size_t>(2, text.size() - i - 1);
        if (end - digits != 2 || std::from_chars(digits, end, value, 16).ptr != end)
            refuse_parameter(name, "a '%' needs two hexadecimal digits after it: write %25 for a '%'");
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

// A decimal number, and the text behind it.
struct number_and_rest {
    std::uint64_t number = 0;
    std::string rest;
};

std::optional<number_and_rest> leading_number(std::string const& text)
{
    number_and_rest made;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), made.number);
    if (failure != std::errc{})
        return std::nullopt;
    made.rest.assign(end, text.data() + text.size());
    return made;
}

std::string in_words(milliseconds span)
{
    return span.count() % 1'000 == 0 ? std::to_string(span.count() / 1'000) + "s" : std::to_string(span.count()) + "ms";
}

} // namespace

url_parameters::url_parameters(std::string const& query)
{
    for (std::size_t begin = 0; begin <= query.size();) {
        auto const end = std::min(query.find('&', begin), query.size());
        auto const part = query.substr(begin, end - begin);
        auto const equals = part.find('=');
        auto const name = part.substr(0, equals);
        if (name.empty() || equals == std::string::npos)
            throw std::invalid_argument("lock store: URL parameters: must be written ?name=value&name=value");
        if (!values_.emplace(name, decoded_value(name, part.substr(equals + 1))).second)
            refuse_parameter(name, "is given twice: leave one out");
        begin = end + 1;
    }
}

void url_parameters::check_names(std::string const& server, std::set<std::string> const& known) const
{
    std::string list;
    for (auto const& name : known)
        list += (list.empty() ? "" : ", ") + name;
    for (auto const& [name, value] : values_)
        if (!known.contains(name))
            refuse_parameter(name, server + " has no such parameter: use " + (list.empty() ? "none" : list));
}

std::string url_parameters::text(std::string const& name) const
{
    auto const found = values_.find(name);
    return found == values_.end() ? std::string() : found->second;
}

std::size_t url_parameters::number(std::string const& name, std::size_t least, std::size_t most,
                                   std::size_t otherwise) const
{
    auto const found = values_.find(name);
    if (found == values_.end())
        return otherwise;
    auto const read = leading_number(found->second);
    if (!read || !read->rest.empty() || read->number < least || read->number > most)
        refuse_parameter(name, "is out of range: must be a number from " + std::to_string(least) + " to " +
                                   std::to_string(most));
    return static_cast<std::size_t>(read->number);
}

milliseconds url_parameters::span(std::string const& name, milliseconds least, milliseconds most,
                                  milliseconds otherwise) const
{
    auto const found = values_.find(name);
    if (found == values_.end())
        return otherwise;
    static std::map<std::string, std::int64_t> const units{{"ms", 1}, {"s", 1'000}, {"m", 60'000}};
    auto const read = leading_number(found->second);
    auto const unit = read ? units.find(read->rest) : units.end();
    if (unit == units.end())
        refuse_parameter(name, "is not a time: write a number with ms, s or m, such as 10s");
    // Divided, because the product may overflow.
    auto const count = static_cast<std::uint64_t>(most.count() / unit->second);
    milliseconds const made{read->number > count ? most.count() + 1
                                                 : static_cast<std::int64_t>(read->number) * unit->second};
    if (made < least || made > most)
        refuse_parameter(name, "is out of range: must be " + in_words(least) + " to " + in_words(most));
    return made;
}

split_url split_parameters(std::string const& url)
{
    auto const login = url.rfind('@');
    auto const question = url.find('?', login == std::string::npos ? 0 : login);
    if (question == std::string::npos)
        return {url, {}};
    return {url.substr(0, question), url_parameters(url.substr(question + 1))};
}

} // namespace baton::lock
