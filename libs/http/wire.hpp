#pragma once
// Parsing and rendering of HTTP/1.1 messages with Beast's parser, without I/O. Private to this folder.

#include "libs/http/message.hpp"

#include <memory>

namespace baton::http {

enum class progress { need_more, done, malformed, header_too_large, body_too_large, bad_host, refused };

struct wire_limits {
    std::size_t header; // bytes of the request line or status line and all fields
    std::size_t body;   // bytes
};

// Parses one request after another.
class request_reader {
public:
    // `admit`: asked for each request with a body, before any of it is read; may be empty.
    explicit request_reader(wire_limits limits, admitter admit = {});
    ~request_reader();

    void start(); // expect a new request

    // Parses `data` and sets `used` to the number of bytes consumed. After need_more, call it again with the remaining
    // bytes and further ones behind them. After any other result only start() may follow, or take() after `done`.
    progress put(std::string_view data, std::size_t& used);

    bool expects_continue() const; // the header is complete and asks for "100 Continue" before the body
    bool keeps_alive() const;
    bool is_http_1_1() const;
    std::size_t body_limit() const; // bytes that the body of this request may have
    request take();
    response take_refusal(); // after `refused`

private:
    struct parser;
    wire_limits limits_;
    admitter admit_;
    std::unique_ptr<parser> parser_;
};

// Parses one answer after another; interim (1xx) answers are skipped.
class response_reader {
public:
    explicit response_reader(wire_limits limits);
    ~response_reader();

    void start(bool answers_head); // expect a new answer; an answer to a HEAD request has no body
    progress put(std::string_view data, std::size_t& used); // like request_reader::put()
    progress end();                                         // the peer has closed its side
    bool keeps_alive() const;
    response take();

private:
    struct parser;
    wire_limits limits_;
    bool answers_head_ = false;
    std::unique_ptr<parser> parser_;
};

// Replaces `head` by everything in front of the body.
void render_head(std::string& head, request const& message, url const& to);
void render_head(std::string& head, response const& message, bool answers_head, bool keep_alive);

// False for the statuses that must not carry a body.
bool has_body(int status);

} // namespace baton::http
