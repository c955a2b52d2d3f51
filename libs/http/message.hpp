#pragma once
// HTTP messages as plain values, and the text formats that they use: percent-encoding, JSON, problems, URLs. No I/O.

#include "libs/base/asio.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace baton::http {

enum class verb { get, head, post, put, patch, del, other };

std::string_view to_string(verb method);

// Header fields in order; names compare without case. An invalid name, or a value with a control character (a line
// break would forge a field), throws invalid_input. The transport sets Content-Length, Transfer-Encoding and Connection
// itself and ignores them in messages to be sent.
class fields {
public:
    void set(std::string name, std::string value);                // replaces all fields of that name
    void add(std::string name, std::string value);                // keeps other fields of that name
    std::optional<std::string> find(std::string_view name) const; // the first of that name
    std::vector<std::pair<std::string, std::string>> const& all() const { return all_; }

private:
    std::vector<std::pair<std::string, std::string>> all_;
};

struct request {
    verb method = verb::get;
    std::string target = "/"; // path and query as sent, "/api/v1/tasks?limit=5"
    fields headers;
    std::string body;
    std::string peer;  // "127.0.0.1:40312"; set by the listener
    std::string owner; // of the connections on which the request may be sent; waits only for requests of this owner
    bool once = false; // no byte of it is sent twice: if a kept connection breaks, the request fails
    std::map<std::string, std::string> params; // path parameters, percent-decoded; set by the router
    // While the request is being handled: is the connection still open on the sender's side? Set by the listener; may
    // be empty.
    std::function<bool()> connected;

    std::string path() const; // the path of `target`, still percent-encoded
    // The first value of a query parameter, decoded ("+" is a space). Throws invalid_input as percent_decode does.
    std::optional<std::string> query(std::string_view name) const;
    // All query parameters in order, decoded. Throws as query() does.
    std::vector<std::pair<std::string, std::string>> queries() const;
};

class body_source;

struct response {
    int status = 200;
    fields headers;
    std::string body;
    std::shared_ptr<body_source> stream{}; // sent instead of `body`; only by a listener, and only to HTTP/1.1
};

using handler = std::function<awaitable<response>(request const&)>;

// Whether a listener reads the body of a request, of which only the header is there.
struct admission {
    std::optional<response> refusal{};        // the answer; the body is not read, and the connection is closed
    std::size_t body_limit = std::size_t(-1); // bytes, if less than the listener's; a larger body is answered 413
};
using admitter = std::function<admission(request const& head)>;

// Encodes a path segment, or the name or value of a query parameter: all bytes except letters, digits and "-._~" become
// %XX (RFC 3986).
std::string percent_encode(std::string_view text);
// Throws invalid_input (field "") for an incomplete escape, a NUL, or a result that is not UTF-8.
std::string percent_decode(std::string_view text);

bool is_utf8(std::string_view text);

// Messages with a JSON body. json_request() and json_response() replace bytes that are not UTF-8 by U+FFFD.
// parse_json() throws invalid_input (field "") for malformed text, invalid UTF-8, or nesting deeper than 64.
request json_request(verb method, std::string target, nlohmann::json const& body);
response json_response(int status, nlohmann::json const& body);
request text_request(verb method, std::string target, std::string json);
response text_response(int status, std::string json);
nlohmann::json parse_json(std::string const& body);

// RFC 9457 problem JSON (application/problem+json). `field` names the invalid part of the request, or is empty.
response problem(int status, std::string const& title, std::string const& detail, std::string const& field = {});

// A server's URL such as "http://10.0.0.1:7800".
struct url {
    std::string host; // in lower case; an IPv6 address without brackets
    std::uint16_t port = 80;
    std::string prefix; // a path in front of every target, without a trailing slash

    std::string text() const;
    friend auto operator<=>(url const&, url const&) = default;
};
// Accepts the scheme http, a host (name, IPv4 or [IPv6]), an optional port and an optional path. Throws invalid_input
// (field "") for anything else, including credentials, a query or a fragment.
url parse_url(std::string const& text);

// True for an IPv4 or IPv6 address, false for a name.
bool is_address(std::string const& text);

// True for 127.0.0.0/8, ::1 and "localhost".
bool is_loopback(std::string const& host);

} // namespace baton::http
