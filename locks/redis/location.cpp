#include "locks/redis/location.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

namespace baton::lock {

namespace {

constexpr std::uint16_t sentinel_port = 26379;

[[noreturn]] void refuse_url(std::string const& why)
{
    throw std::invalid_argument(
        "lock store: must be redis://[user:password@]host[:port][/db], redlock:// with several hosts, "
        "redis-sentinel:// with those of sentinels and /master, or redis-cluster:// with some of its nodes: " +
        why);
}

template <class Number>
Number url_number(std::string const& text, int base, char const* reason)
{
    Number value{};
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failure != std::errc{} || end != text.data() + text.size())
        refuse_url(reason);
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

redis_setup setup_of(std::string const& scheme)
{
    if (scheme == "redis")
        return redis_setup::server;
    if (scheme == "redlock")
        return redis_setup::majority;
    if (scheme == "redis-sentinel")
        return redis_setup::sentinels;
    if (scheme == "redis-cluster")
        return redis_setup::cluster;
    refuse_url("unknown scheme");
}

// Removes the last '/' and the text behind it, and returns that text.
std::string take_last_part(std::string& text)
{
    auto const slash = text.rfind('/');
    if (slash == std::string::npos)
        return "";
    auto part = text.substr(slash + 1);
    text.erase(slash);
    return part;
}

unsigned database_of(std::string const& text)
{
    return text.empty() ? 0 : url_number<unsigned>(text, 10, "the database must be a number");
}

// "hosts/master", "hosts/master/db".
void read_master(std::string& rest, redis_url& made)
{
    auto last = take_last_part(rest);
    if (rest.find('/') != std::string::npos) {
        made.login.database = database_of(last);
        last = take_last_part(rest);
    }
    made.master = without_percents(last);
    if (made.master.empty() || rest.find('/') != std::string::npos)
        refuse_url("the sentinels' name of the master is missing");
}

void check_setup(redis_url const& made)
{
    auto const count = made.servers.size();
    if (made.setup == redis_setup::server && count != 1)
        refuse_url("it must be one server; use redlock:// for several");
    if (made.setup == redis_setup::majority && count < 3)
        refuse_url("a majority needs at least three servers");
    if (made.setup == redis_setup::cluster && made.login.database != 0)
        refuse_url("a cluster has only database 0");
}

} // namespace

redis_url parse_redis_url(std::string const& url)
{
    auto const scheme = url.find("://");
    if (scheme == std::string::npos)
        refuse_url("no '://'");
    redis_url made;
    made.setup = setup_of(url.substr(0, scheme));
    auto rest = url.substr(scheme + 3);
    if (auto const at = rest.rfind('@'); at != std::string::npos) {
        read_credentials(rest.substr(0, at), made.login);
        rest.erase(0, at + 1);
    }
    if (made.setup == redis_setup::sentinels) {
        read_master(rest, made);
        redis_location without_login;
        without_login.port = sentinel_port;
        made.servers = read_addresses(rest, without_login);
    } else {
        made.login.database = database_of(take_last_part(rest));
        made.servers = read_addresses(rest, made.login);
    }
    check_setup(made);
    return made;
}

std::string redis_location::text() const
{
    bool const v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::optional<redis_location> redis_location::at(std::string const& name, std::string const& number) const
{
    auto made = *this;
    made.host = name;
    auto const [end, failure] = std::from_chars(number.data(), number.data() + number.size(), made.port);
    if (name.empty() || failure != std::errc{} || end != number.data() + number.size() || made.port == 0)
        return std::nullopt;
    return made;
}

} // namespace baton::lock
