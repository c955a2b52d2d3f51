#pragma once
// A relay between one client and one server on loopback, which holds back what the client sends or what it receives.

#include <memory>
#include <string>

namespace baton::test {

// Takes one connection at a time. Any thread may call the functions.
class slow_link {
public:
    explicit slow_link(std::string const& server_port);
    ~slow_link();
    slow_link(slow_link const&) = delete;
    slow_link& operator=(slow_link const&) = delete;

    std::string port() const; // for the client

    void hold_requests(); // until let_requests_pass()
    void let_requests_pass();
    // Holds back what the server answers from the next request that contains `text` on, until let_answers_pass().
    void hold_answers_after(std::string const& text);
    bool holds_answers() const; // such a request has been passed on
    void let_answers_pass();

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace baton::test
