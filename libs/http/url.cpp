#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>

namespace baton::http {

namespace {

std::string lower(std::string_view text)
{
    std::string made(text);
    for (char& c : made)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return made;
}

[[noreturn]] void refuse(std::string const& text, std::string const& why)
{
    throw invalid_input("", "'" + text + "' is not an address of the form http://host:port: " + why);
}

bool is_name(std::string_view host)
{
    auto const allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    };
    return !host.empty() && host.size() <= 253 && std::ranges::all_of(host, allowed);
}

// Parses the host and removes it from the front of `rest`.
std::string take_host(std::string const& text, std::string_view& rest)
{
    if (!rest.empty() && rest.front() == '[') {
        auto const end = rest.find(']');
        if (end == std::string_view::npos)
            refuse(text, "the bracket is not closed");
        auto host = lower(rest.substr(1, end - 1));
        error_code wrong;
        asio::ip::make_address_v6(host, wrong);
        if (wrong)
            refuse(text, "the brackets do not contain an IPv6 address");
        rest.remove_prefix(end + 1);
        return host;
    }
    auto const end = std::min(rest.find_first_of(":/?#"), rest.size());
    auto host = lower(rest.substr(0, end));
    if (!is_name(host))
        refuse(text, "the host is neither a name nor an IP address");
    rest.remove_prefix(end);
    return host;
}

std::uint16_t take_port(std::string const& text, std::string_view& rest)
{
    if (rest.empty() || rest.front() != ':')
        return 80;
    rest.remove_prefix(1);
    std::uint16_t port = 0;
    auto const [end, wrong] = std::from_chars(rest.data(), rest.data() + rest.size(), port);
    if (wrong != std::errc{} || port == 0)
        refuse(text, "the port is not a number from 1 to 65535");
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return port;
}

} // namespace

url parse_url(std::string const& text)
{
    constexpr std::string_view scheme = "http://";
    std::string_view rest = text;
    if (lower(rest.substr(0, scheme.size())) != scheme)
        refuse(text, "the scheme is not http");
    rest.remove_prefix(scheme.size());
    url made;
    made.host = take_host(text, rest);
    made.port = take_port(text, rest);
    if (!rest.empty() && rest.front() != '/')
        refuse(text, "unexpected text behind the port");
    auto const unfit = [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f || c == '?' || c == '#';
    };
    if (std::ranges::any_of(rest, unfit))
        refuse(text, "the path contains a space, a query or a fragment");
    if (rest.ends_with('/'))
        rest.remove_suffix(1);
    made.prefix = rest;
    return made;
}

std::string url::text() const
{
    bool const v6 = host.find(':') != std::string::npos;
    return "http://" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + prefix;
}

bool is_address(std::string const& text)
{
    error_code no_address;
    asio::ip::make_address(text, no_address);
    return !no_address;
}

bool is_loopback(std::string const& host)
{
    error_code no_address;
    auto const address = asio::ip::make_address(host, no_address);
    return no_address ? lower(host) == "localhost" : address.is_loopback();
}

} // namespace baton::http
