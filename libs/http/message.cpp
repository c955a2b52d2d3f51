#include "libs/http/message.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace baton::http {

namespace {

constexpr std::size_t max_depth = 64; // nesting of JSON

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

void check_field(std::string const& name, std::string const& value)
{
    auto const token = [](char c) {
        return is_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    };
    auto const control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
    if (name.empty() || !std::ranges::all_of(name, token))
        throw invalid_input(name, "not a valid name of a header field");
    if (std::ranges::any_of(value, control))
        throw invalid_input(name, "a header field cannot hold control characters");
}

// The value of a hexadecimal digit; -1 for any other character.
int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// "+" means a space in queries of HTML forms, although RFC 3986 does not say so.
std::string decode_query(std::string_view text)
{
    std::string plain(text);
    std::ranges::replace(plain, '+', ' ');
    return percent_decode(plain);
}

void check_depth(std::string const& text)
{
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char const c = text[i];
        if (quoted) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > max_depth)
                throw invalid_input("", "JSON is nested deeper than " + std::to_string(max_depth));
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
}

std::string dump(nlohmann::json const& body)
{
    return body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

std::string_view to_string(verb method)
{
    constexpr std::array<std::string_view, 7> names{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OTHER"};
    return names[static_cast<std::size_t>(method)];
}

void fields::set(std::string name, std::string value)
{
    check_field(name, value);
    std::erase_if(all_, [&](auto const& field) { return same_name(field.first, name); });
    all_.emplace_back(std::move(name), std::move(value));
}

void fields::add(std::string name, std::string value)
{
    check_field(name, value);
    all_.emplace_back(std::move(name), std::move(value));
}

std::optional<std::string> fields::find(std::string_view name) const
{
    for (auto const& [its_name, value] : all_)
        if (same_name(its_name, name))
            return value;
    return {};
}

std::string request::path() const
{
    std::string_view rest = target;
    if (same_name(rest.substr(0, 7), "http://")) { // the absolute form, which proxies use
        rest.remove_prefix(7);
        rest.remove_prefix(std::min(rest.find_first_of("/?"), rest.size()));
        if (rest.empty() || rest.front() == '?')
            return "/";
    }
    return std::string(rest.substr(0, rest.find('?')));
}

std::vector<std::pair<std::string, std::string>> request::queries() const
{
    std::vector<std::pair<std::string, std::string>> all;
    auto const mark = target.find('?');
    std::string_view rest = mark == std::string::npos ? std::string_view{} : std::string_view(target).substr(mark + 1);
    while (!rest.empty()) {
        auto const part = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(part.size() + 1, rest.size()));
        if (part.empty())
            continue;
        auto const equals = std::min(part.find('='), part.size());
        auto const value = equals == part.size() ? std::string_view{} : part.substr(equals + 1);
        auto name = decode_query(part.substr(0, equals));
        try {
            auto decoded = decode_query(value);
            all.emplace_back(std::move(name), std::move(decoded));
        } catch (invalid_input const& wrong) {
            throw invalid_input(name, name + ": " + wrong.what());
        }
    }
    return all;
}

std::optional<std::string> request::query(std::string_view name) const
{
    for (auto& [its_name, value] : queries())
        if (its_name == name)
            return std::move(value);
    return {};
}

std::string percent_encode(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (char const c : text) {
        if (is_letter_or_digit(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            encoded += c;
        } else {
            auto const byte = static_cast<unsigned char>(c);
            encoded += '%';
            encoded += digits[byte >> 4];
            encoded += digits[byte & 15];
        }
    }
    return encoded;
}

std::string percent_decode(std::string_view text)
{
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        int const high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
        int const low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
        if (high < 0 || low < 0)
            throw invalid_input("", "the percent-encoding in " + in_quotes(text) + " is broken");
        plain += static_cast<char>(high * 16 + low);
        i += 2;
    }
    if (!is_utf8(plain))
        throw invalid_input("", in_quotes(text) + " does not stand for text in UTF-8");
    if (plain.find('\0') != std::string::npos)
        throw invalid_input("", in_quotes(text) + " contains the character U+0000");
    return plain;
}

// RFC 3629, table of well-formed sequences: shortest form only, no surrogates, at most U+10FFFF.
bool is_utf8(std::string_view text)
{
    auto const byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
    auto const continues = [&](std::size_t at) { return (byte(at) & 0xc0) == 0x80; };
    for (std::size_t i = 0; i < text.size();) {
        unsigned const first = byte(i);
        unsigned const second = byte(i + 1);
        if (first < 0x80) {
            i += 1;
        } else if (first >= 0xc2 && first <= 0xdf && continues(i + 1)) {
            i += 2;
        } else if (first >= 0xe0 && first <= 0xef && continues(i + 1) && continues(i + 2) &&
                   (first != 0xe0 || second >= 0xa0) && (first != 0xed || second < 0xa0)) {
            i += 3;
        } else if (first >= 0xf0 && first <= 0xf4 && continues(i + 1) && continues(i + 2) && continues(i + 3) &&
                   (first != 0xf0 || second >= 0x90) && (first != 0xf4 || second < 0x90)) {
            i += 4;
        } else {
            return false;
        }
    }
    return true;
}

request json_request(verb method, std::string target, nlohmann::json const& body)
{
    return text_request(method, std::move(target), dump(body));
}

response json_response(int status, nlohmann::json const& body)
{
    return text_response(status, dump(body));
}

request text_request(verb method, std::string target, std::string json)
{
    request made;
    made.method = method;
    made.target = std::move(target);
    made.headers.set("Content-Type", "application/json");
    made.body = std::move(json);
    return made;
}

response text_response(int status, std::string json)
{
    response made;
    made.status = status;
    made.headers.set("Content-Type", "application/json");
    made.body = std::move(json);
    return made;
}

nlohmann::json parse_json(std::string const& body)
{
    check_depth(body);
    try {
        return nlohmann::json::parse(body);
    } catch (nlohmann::json::exception const& wrong) {
        std::string_view why = wrong.what(); // "[json.exception.parse_error.101] parse error at line 1, ..."
        if (auto const end = why.find("] "); end != std::string_view::npos)
            why.remove_prefix(end + 2);
        throw invalid_input("", "not JSON: " + std::string(why));
    }
}

response problem(int status, std::string const& title, std::string const& detail, std::string const& field)
{
    nlohmann::json body{{"type", "about:blank"}, {"title", title}, {"status", status}, {"detail", detail}};
    if (!field.empty())
        body["field"] = field;
    auto made = json_response(status, body);
    made.headers.set("Content-Type", "application/problem+json");
    return made;
}

} // namespace baton::http
