#include "libs/lock/redis/redis_location.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

namespace baton::lock {

namespace {

[[noreturn]] void refuse_url(std::string const& why)
{
    throw std::invalid_argument(
        "lock store: must be redis://[user:password@]host[:port][/db], or redlock:// with several hosts: " + why);
}

template <class Number>
Number url_number(std::string const& text, int base, char const* what)
{
    Number value{};
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failure != std::errc{} || end != text.data() + text.size())
        refuse_url(what);
    return value;
}

std::string without_percents(std::string const& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        constexpr auto wrong = "a '%' must be followed by two hexadecimal digits";
        if (i + 2 >= text.size())
            refuse_url(wrong);
        out += static_cast<char>(url_number<unsigned>(text.substr(i + 1, 2), 16, wrong));
        i += 2;
    }
    return out;
}

void read_credentials(std::string const& text, redis_location& where)
{
    auto const colon = text.find(':');
    if (colon == std::string::npos)
        refuse_url("the password is missing");
    where.user = without_percents(text.substr(0, colon));
    where.password = without_percents(text.substr(colon + 1));
}

void read_address(std::string const& text, redis_location& where)
{
    auto const bracket = text.starts_with('[') ? text.find(']') : 0; // of an IPv6 address
    if (bracket == std::string::npos)
        refuse_url("'[' without ']'");
    auto const colon = text.find(':', bracket);
    where.host = bracket > 0 ? text.substr(1, bracket - 1) : text.substr(0, colon);
    if (bracket > 0 && bracket + 1 < text.size() && colon != bracket + 1)
        refuse_url("unexpected text behind ']'");
    if (where.host.empty())
        refuse_url("the host is missing");
    if (colon == std::string::npos)
        return;
    constexpr auto wrong = "the port must be a number from 1 to 65535";
    where.port = url_number<std::uint16_t>(text.substr(colon + 1), 10, wrong);
    if (where.port == 0)
        refuse_url(wrong);
}

std::vector<redis_location> read_addresses(std::string const& text, redis_location const& common)
{
    std::vector<redis_location> all;
    std::set<std::string> seen;
    for (std::size_t begin = 0; begin <= text.size();) {
        auto const end = std::min(text.find(',', begin), text.size());
        read_address(text.substr(begin, end - begin), all.emplace_back(common));
        if (!seen.insert(all.back().text()).second)
            refuse_url("a server is named twice");
        begin = end + 1;
    }
    return all;
}

} // namespace

std::vector<redis_location> parse_redis_url(std::string const& url)
{
    bool const majority = url.starts_with(majority_scheme);
    if (!majority && !url.starts_with("redis://"))
        refuse_url("another scheme");
    auto rest = url.substr(url.find("//") + 2);
    redis_location common;
    if (auto const at = rest.rfind('@'); at != std::string::npos) {
        read_credentials(rest.substr(0, at), common);
        rest.erase(0, at + 1);
    }
    if (auto const slash = rest.find('/'); slash != std::string::npos) {
        if (auto const number = rest.substr(slash + 1); !number.empty())
            common.database = url_number<unsigned>(number, 10, "the database must be a number");
        rest.erase(slash);
    }
    auto all = read_addresses(rest, common);
    if (!majority && all.size() != 1)
        refuse_url("it is one server; redlock:// is of several");
    if (majority && all.size() < 3)
        refuse_url("a majority is of three servers at least");
    return all;
}

std::string redis_location::text() const
{
    bool const v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

} // namespace baton::lock
