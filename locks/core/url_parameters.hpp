#pragma once
// The parameters at the end of a store's URL: "?session=20s&wait_replicas=1". Pure.

#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>

namespace baton::lock {

// Errors are std::invalid_argument with the parameter, the reason and the remedy. They never contain a value, because
// it may be a secret.
class url_parameters {
public:
    url_parameters() = default;
    // Values may contain %xx.
    explicit url_parameters(std::string const& query);

    // Throws for a parameter that the server does not know.
    void check_names(std::string const& server, std::set<std::string> const& known) const;

    // The value, or the default for an absent parameter.
    std::string text(std::string const& name) const;
    std::size_t number(std::string const& name, std::size_t least, std::size_t most, std::size_t otherwise) const;
    // Such as 500ms, 10s or 2m.
    std::chrono::milliseconds span(std::string const& name, std::chrono::milliseconds least,
                                   std::chrono::milliseconds most, std::chrono::milliseconds otherwise) const;

private:
    std::map<std::string, std::string> values_;
};

struct split_url {
    std::string base;
    url_parameters parameters;
};
// The parameters begin at the first '?' after the login, which may contain a '?'.
split_url split_parameters(std::string const& url);

} // namespace baton::lock
