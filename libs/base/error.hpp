#pragma once

#include <exception>
#include <string>
#include <utility>

namespace baton {

// Something we depend on did not answer in time: a database, a node, a client. Its effect is unknown unless the thrower
// says otherwise. Loops retry on it, the HTTP session answers 503. Not a std::runtime_error, because
// boost::system::system_error (cancellation among them) is one and must not be swallowed with it.
class unavailable : public std::exception {
public:
    explicit unavailable(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

// What was asked for makes no sense; `field` names the part of the request that is wrong ("schedule.cron"), or nothing.
class invalid_input : public std::exception {
public:
    invalid_input(std::string field, std::string why) : field_(std::move(field)), why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }
    std::string const& field() const noexcept { return field_; }

private:
    std::string field_;
    std::string why_;
};

// The caller acted under a term of mastership that is over: everything it decided since is void.
class not_master : public std::exception {
public:
    explicit not_master(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton
