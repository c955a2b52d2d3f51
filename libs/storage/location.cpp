#include "libs/storage/dialects/dialects.hpp"

#include <charconv>

namespace baton::storage {

void refuse_location(std::string const& why)
{
    throw invalid_input("database",
                        "database must be mysql://user:password@host:port/name or sqlite:/path/to/file.db: " + why);
}

namespace {

int hex_digit(char c)
{
    int value = 0;
    auto const [end, failure] = std::from_chars(&c, &c + 1, value, 16);
    if (failure != std::errc{} || end != &c + 1)
        refuse_location("a '%' must be followed by two hexadecimal digits");
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
            refuse_location("a '%' must be followed by two hexadecimal digits");
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
        refuse_location("the port must be a number from 1 to 65535");
    return static_cast<std::uint16_t>(value);
}

void read_host(std::string const& text, location& where)
{
    std::string port;
    if (!text.empty() && text.front() == '[') {
        auto const end = text.find(']');
        if (end == std::string::npos)
            refuse_location("'[' without ']'");
        where.host = text.substr(1, end - 1);
        if (end + 1 < text.size() && text[end + 1] != ':')
            refuse_location("unexpected text behind ']'");
        port = end + 1 < text.size() ? text.substr(end + 2) : "";
    } else {
        auto const colon = text.find(':');
        where.host = text.substr(0, colon);
        port = colon == std::string::npos ? "" : text.substr(colon + 1);
    }
    if (where.host.empty())
        refuse_location("the host is missing");
    if (!port.empty())
        where.port = port_number(port);
}

} // namespace

location parse_server(storage::engine engine, std::string const& text, std::uint16_t default_port)
{
    if (!text.starts_with("//"))
        refuse_location("'//' is missing");
    auto const slash = text.rfind('/');
    if (slash == 1 || slash + 1 == text.size())
        refuse_location("the name of the database is missing");
    location where;
    where.engine = engine;
    where.port = default_port;
    where.name = decoded(text.substr(slash + 1));
    auto const server = text.substr(2, slash - 2);
    auto const at = server.rfind('@');
    if (at == std::string::npos)
        refuse_location("the user is missing");
    auto const credentials = server.substr(0, at);
    auto const colon = credentials.find(':');
    where.user = decoded(credentials.substr(0, colon));
    if (colon != std::string::npos)
        where.password = decoded(credentials.substr(colon + 1));
    if (where.user.empty())
        refuse_location("the user is missing");
    read_host(server.substr(at + 1), where);
    return where;
}

std::string server_text(dialect const& of, location const& where)
{
    bool const v6 = where.host.find(':') != std::string::npos;
    return std::string(of.name()) + "://" + where.user + "@" + (v6 ? "[" + where.host + "]" : where.host) + ":" +
           std::to_string(where.port) + "/" + where.name;
}

} // namespace baton::storage
