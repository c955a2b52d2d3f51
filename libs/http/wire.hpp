#pragma once
// Messages to bytes and back, without I/O: HTTP/1.1 as Beast parses it. Of this folder alone.

#include "libs/http/message.hpp"

#include <memory>

namespace baton::http {

enum class progress { need_more, done, malformed, header_too_large, body_too_large };

struct wire_limits {
    std::size_t header; // bytes of the request or status line with all fields
    std::size_t body;   // bytes
};

// Reads one request after another.
class request_reader {
public:
    explicit request_reader(wire_limits limits);
    ~request_reader();

    void start(); // expect a new request

    // Reads on in `data` and says in `used` how much of it is not to be shown again. need_more asks for the rest with
    // more behind it; after any other answer only start() may follow (and after `done` take()).
    progress put(std::string_view data, std::size_t& used);

    bool expects_continue() const; // the header is read and the sender wants an interim answer before it sends the body
    bool keeps_alive() const;
    request take();

private:
    struct parser;
    wire_limits limits_;
    std::unique_ptr<parser> parser_;
};

// Reads one answer after another; interim (1xx) answers are skipped.
class response_reader {
public:
    explicit response_reader(wire_limits limits);
    ~response_reader();

    void start(bool to_head); // expect a new answer; one to a HEAD request has no body
    progress put(std::string_view data, std::size_t& used);
    progress end(); // the other side sent all it will send
    bool keeps_alive() const;
    response take();

private:
    struct parser;
    wire_limits limits_;
    bool to_head_ = false;
    std::unique_ptr<parser> parser_;
};

// Replaces `head` by all that goes before the body.
void render_head(std::string& head, request const& message, url const& to);
void render_head(std::string& head, response const& message, bool to_head, bool keep_alive);

// False for the statuses that must not carry a body.
bool has_body(int status);

} // namespace baton::http
