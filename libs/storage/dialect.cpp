#include "libs/storage/dialect.hpp"

#include "libs/storage/detail.hpp"
#include "libs/storage/dialects/dialects.hpp"

#include <soci/soci.h>

#include <array>

namespace baton::storage {

namespace {

std::array<dialect const*, 2> const& all_dialects()
{
    static std::array<dialect const*, 2> const all{&mysql_dialect(), &sqlite_dialect()};
    return all;
}

} // namespace

dialect const& dialect_of(engine which)
{
    for (auto const* each : all_dialects())
        if (each->engine() == which)
            return *each;
    throw std::logic_error("an engine without a dialect");
}

dialect const& dialect_of(soci::session& session)
{
    // SOCI calls its backends as we call the dialects, but for SQLite's version.
    auto const backend = session.get_backend_name();
    for (auto const* each : all_dialects())
        if (backend.starts_with(each->name()))
            return each->variant_for(session);
    throw std::logic_error("a session without a dialect: " + backend);
}

location parse_location(std::string const& text)
{
    for (auto const* each : all_dialects())
        if (text.starts_with(std::string(each->name()) + ":"))
            return each->parse(text.substr(each->name().size() + 1));
    refuse_location("unknown kind");
}

std::string location::text() const
{
    return dialect_of(engine).text(*this);
}

std::optional<statement_error> database_failure()
{
    try {
        throw;
    } catch (statement_error const& known) {
        return known;
    } catch (soci::soci_error const& error) {
        for (auto const* each : all_dialects())
            if (auto found = each->failure(error))
                return found;
        return statement_error(statement_error::kind::refused, error.get_error_message());
    } catch (...) {
        return std::nullopt;
    }
}

} // namespace baton::storage
