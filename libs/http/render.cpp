#include "libs/base/error.hpp"
#include "libs/http/wire.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

#include <algorithm>
#include <array>

namespace baton::http {

namespace {

namespace wire = boost::beast::http;

bool set_by_transport(std::string const& name)
{
    constexpr std::array<boost::beast::string_view, 3> names{"Content-Length", "Transfer-Encoding", "Connection"};
    return std::ranges::any_of(names,
                               [&](boost::beast::string_view each) { return boost::beast::iequals(each, name); });
}

void append_fields(std::string& head, fields const& headers)
{
    for (auto const& [name, value] : headers.all()) {
        if (set_by_transport(name))
            continue;
        head.append(name).append(": ").append(value).append("\r\n");
    }
}

} // namespace

void render_head(std::string& head, request const& message, url const& to)
{
    auto const unfit = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; };
    if (message.method == verb::other || !message.target.starts_with('/') || std::ranges::any_of(message.target, unfit))
        throw invalid_input("target", "the method or the target cannot be sent");
    bool const v6 = to.host.find(':') != std::string::npos;
    head.clear();
    head.append(to_string(message.method)).append(" ").append(to.prefix).append(message.target);
    head.append(" HTTP/1.1\r\nHost: ").append(v6 ? "[" : "").append(to.host).append(v6 ? "]:" : ":");
    head.append(std::to_string(to.port)).append("\r\n");
    append_fields(head, message.headers);
    bool const bodiless = message.method == verb::get || message.method == verb::head || message.method == verb::del;
    if (!bodiless || !message.body.empty())
        head.append("Content-Length: ").append(std::to_string(message.body.size())).append("\r\n");
    head.append("\r\n");
}

void render_head(std::string& head, response const& message, bool answers_head, bool keep_alive)
{
    auto const reason = wire::obsolete_reason(wire::int_to_status(static_cast<unsigned>(message.status)));
    head.clear();
    head.append("HTTP/1.1 ").append(std::to_string(message.status)).append(" ");
    head.append(reason.data(), reason.size()).append("\r\n");
    append_fields(head, message.headers);
    if (message.stream) {
        head.append("Transfer-Encoding: chunked\r\n");
    } else if (has_body(message.status)) {
        // An answer to HEAD may state the length of the body that GET would return.
        auto const stated = answers_head ? message.headers.find("Content-Length") : std::optional<std::string>{};
        head.append("Content-Length: ").append(stated ? *stated : std::to_string(message.body.size())).append("\r\n");
    }
    if (!keep_alive)
        head.append("Connection: close\r\n");
    head.append("\r\n");
}

bool has_body(int status)
{
    return status >= 200 && status != 204 && status != 304;
}

} // namespace baton::http
