#include "cli/moment.hpp"

#include "cli/config/duration.hpp"
#include "libs/base/error.hpp"

namespace baton::cli {

utc_time parse_moment(std::string const& text, std::string const& field, utc_time now)
{
    if (text == "now")
        return now;
    try {
        return from_rfc3339(text);
    } catch (std::invalid_argument const&) {
        // perhaps a span
    }
    try {
        return now - parse_duration(text);
    } catch (invalid_input const&) {
        throw invalid_input(field, "'" + text +
                                       "' is neither a time such as 2026-12-24T18:00:00Z nor a time ago such "
                                       "as 90m");
    }
}

} // namespace baton::cli
