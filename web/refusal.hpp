#pragma once
// How an endpoint says no: it throws, and the site answers with RFC 9457 problem JSON.

#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <exception>
#include <string>
#include <utility>

namespace baton::web {

// A request that is understood and refused; `field` names the part at fault, or nothing.
class refused : public std::exception {
public:
    refused(int status, std::string detail, std::string field = {})
        : status_(status), detail_(std::move(detail)), field_(std::move(field))
    {}
    char const* what() const noexcept override { return detail_.c_str(); }
    http::response answer() const;

private:
    int status_;
    std::string detail_;
    std::string field_;
};

// What `read` throws as invalid_input is about the meaning of a well-formed document: 422 instead of 400.
template <class Read>
auto as_document(Read&& read)
{
    try {
        return std::forward<Read>(read)();
    } catch (invalid_input const& wrong) {
        throw refused(422, wrong.what(), wrong.field());
    }
}

} // namespace baton::web
