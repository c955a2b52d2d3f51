#pragma once
// An endpoint refuses a request by an exception; the site answers it with RFC 9457 problem JSON.

#include "libs/base/error.hpp"
#include "libs/http/message.hpp"

#include <exception>
#include <string>
#include <utility>

namespace baton::web {

// A request that is understood and refused. `field` names the part at fault, or is empty.
class refused : public std::exception {
public:
    refused(int status, std::string detail, std::string field = {})
        : status_(status), detail_(std::move(detail)), field_(std::move(field))
    {}
    char const* what() const noexcept override { return detail_.c_str(); }
    std::string const& field() const { return field_; }
    http::response answer() const;

private:
    int status_;
    std::string detail_;
    std::string field_;
};

// Turns invalid_input from `read` into 422: it is about the meaning of a well-formed document, not its form (400).
template <class Read>
auto as_document(Read&& read)
{
    try {
        return std::forward<Read>(read)();
    } catch (invalid_input const& wrong) {
        throw refused(422, wrong.what(), wrong.field());
    }
}

// A text of a request, which people see or search by. Throws invalid_input("by") if it contains U+0000, which no
// terminal shows and no search finds.
std::string without_nul(std::string text, std::string const& field);

} // namespace baton::web
