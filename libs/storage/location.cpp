#include "libs/storage/database.hpp"

#include <charconv>

namespace baton::storage {

namespace {

[[noreturn]] void refuse(std::string const& why)
{
    throw invalid_input("database",
                        "database must be mysql://user:password@host:port/name or sqlite:/path/to/file.db: " + why);
}

int hex_digit(char c)
{
    int value = 0;
    auto const [end, failure] = std::from_chars(&c, &c + 1, value, 16);
    if (failure != std::errc{} || end != &c + 1)
        refuse("a '%' must be followed by two hexadecimal digits");
    return value;
}

std::string decoded(std::string const& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (i + 2 >= text.size())
            refuse("a '%' must be followed by two hexadecimal digits");
        out += static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2]));
        i += 2;
    }
    return out;
}

std::uint16_t port_number(std::string const& text)
{
    unsigned value = 0;
    auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{} || end != text.data() + text.size() || value == 0 || value > 65'535)
        refuse("the port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(value);
}

void read_host(std::string const& text, location& where)
{
    std::string port;
    if (!text.empty() && text.front() == '[') {
        auto const end = text.find(']');
        if (end == std::string::npos)
            refuse("'[' without ']'");
        where.host = text.substr(1, end - 1);
        if (end + 1 < text.size() && text[end + 1] != ':')
            refuse("unexpected text behind ']'");
        port = end + 1 < text.size() ? text.substr(end + 2) : "";
    } else {
        auto const colon = text.find(':');
        where.host = text.substr(0, colon);
        port = colon == std::string::npos ? "" : text.substr(colon + 1);
    }
    if (where.host.empty())
        refuse("the host is missing");
    if (!port.empty())
        where.port = port_number(port);
}

location parse_mysql(std::string const& text)
{
    location where;
    where.engine = engine::mysql;
    auto const slash = text.rfind('/');
    if (slash == std::string::npos || slash + 1 == text.size())
        refuse("the name of the database is missing");
    where.name = decoded(text.substr(slash + 1));
    auto const server = text.substr(0, slash);
    auto const at = server.rfind('@');
    if (at == std::string::npos)
        refuse("the user is missing");
    auto const credentials = server.substr(0, at);
    auto const colon = credentials.find(':');
    where.user = decoded(credentials.substr(0, colon));
    if (colon != std::string::npos)
        where.password = decoded(credentials.substr(colon + 1));
    if (where.user.empty())
        refuse("the user is missing");
    read_host(server.substr(at + 1), where);
    return where;
}

} // namespace

location parse_location(std::string const& text)
{
    if (text.starts_with("mysql://"))
        return parse_mysql(text.substr(8));
    if (!text.starts_with("sqlite:"))
        refuse("unknown kind");
    location where;
    where.name = text.substr(7);
    if (where.name.empty())
        refuse("the path is missing");
    if (where.name.find('"') != std::string::npos)
        refuse("the path must not contain a double quote");
    return where;
}

std::string location::text() const
{
    if (engine == engine::sqlite)
        return "sqlite:" + name;
    bool const v6 = host.find(':') != std::string::npos;
    return "mysql://" + user + "@" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/" + name;
}

} // namespace baton::storage
