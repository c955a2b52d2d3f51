#pragma once
// The return value of a handler.

#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace baton::client {

// Success with a value, or failure with a reason and an optional value. A value of more than 64 KiB of JSON is not
// sent: the execution keeps its outcome, and its error text says that the value was dropped. A reason is cut at 16 KiB.
class result {
public:
    static result ok(nlohmann::json value = nullptr) { return {true, std::move(value), {}}; }
    static result fail(std::string error, nlohmann::json value = nullptr)
    {
        return {false, std::move(value), std::move(error)};
    }

    bool succeeded() const noexcept { return succeeded_; }
    nlohmann::json const& value() const noexcept { return value_; }
    std::string const& error() const noexcept { return error_; }

private:
    result(bool succeeded, nlohmann::json value, std::string error)
        : succeeded_(succeeded), value_(std::move(value)), error_(std::move(error))
    {}

    bool succeeded_;
    nlohmann::json value_;
    std::string error_;
};

} // namespace baton::client
