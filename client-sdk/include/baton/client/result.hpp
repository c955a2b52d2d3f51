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

    // A failure that no further attempt can mend: the execution fails now, even if the task has attempts left.
    static result give_up(std::string error, nlohmann::json value = nullptr)
    {
        auto failed = fail(std::move(error), std::move(value));
        failed.final_ = true;
        return failed;
    }

    // Names the kind of the error, such as "bad_input". A failure of a class that the task's `retry.final_errors` lists
    // is final. The class is not part of what people see of the execution.
    result in_class(std::string name) &&
    {
        error_class_ = std::move(name);
        return std::move(*this);
    }

    bool succeeded() const noexcept { return succeeded_; }
    bool final() const noexcept { return final_; }
    std::string const& error_class() const noexcept { return error_class_; }
    nlohmann::json const& value() const noexcept { return value_; }
    std::string const& error() const noexcept { return error_; }

private:
    result(bool succeeded, nlohmann::json value, std::string error)
        : succeeded_(succeeded), value_(std::move(value)), error_(std::move(error))
    {}

    bool succeeded_;
    nlohmann::json value_;
    std::string error_;
    std::string error_class_;
    bool final_ = false;
};

} // namespace baton::client
