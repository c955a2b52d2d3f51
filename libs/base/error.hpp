#pragma once
// The exceptions that cross module borders. None derives from std::runtime_error, because
// boost::system::system_error, which reports cancellation, does: a handler for these must not swallow a cancellation.

#include <exception>
#include <string>
#include <utility>

namespace baton {

// A dependency (a database, a node, a client) did not answer in time. Whether the request took effect is unknown,
// unless the function that throws documents it. Loops retry; the HTTP router answers 503.
class unavailable : public std::exception {
public:
    explicit unavailable(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

// The request is invalid. `field` names the invalid part of it, such as "schedule.cron", or is empty.
class invalid_input : public std::exception {
public:
    invalid_input(std::string field, std::string why) : field_(std::move(field)), why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }
    std::string const& field() const noexcept { return field_; }

private:
    std::string field_;
    std::string why_;
};

// The caller's term of mastership is over. Nothing that it decided since then may take effect.
class not_master : public std::exception {
public:
    explicit not_master(std::string why) : why_(std::move(why)) {}
    char const* what() const noexcept override { return why_.c_str(); }

private:
    std::string why_;
};

} // namespace baton
