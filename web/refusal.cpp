#include "web/refusal.hpp"

namespace baton::web {

namespace {

std::string title_of(int status)
{
    switch (status) {
    case 401:
        return "Unauthorized";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 409:
        return "Conflict";
    case 412:
        return "Precondition Failed";
    case 422:
        return "Unprocessable Content";
    case 503:
        return "Service Unavailable";
    default:
        return "Bad Request";
    }
}

} // namespace

std::string without_nul(std::string text, std::string const& field)
{
    if (text.find('\0') != std::string::npos)
        throw invalid_input(field, field + " must not contain the character U+0000; leave it out");
    return text;
}

http::response refused::answer() const
{
    return http::problem(status_, title_of(status_), detail_, field_);
}

} // namespace baton::web
