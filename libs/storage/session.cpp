#include "libs/base/outage.hpp"
#include "libs/base/private_file.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/dialect.hpp"
#include "libs/storage/login_watch.hpp"

#include <soci/soci.h>

namespace baton::storage {

namespace {

// login_watch tells the log of it.
class login_refused : public session_broken, public told_already {
public:
    using session_broken::session_broken;
};

std::string without_password(std::string text, location const& where)
{
    if (!where.password.empty())
        for (auto at = text.find(where.password); at != std::string::npos; at = text.find(where.password, at))
            text.replace(at, where.password.size(), "***");
    return text;
}

// Read each time: a changed password needs no new start of the process.
location with_current_password(location where)
{
    try {
        if (!where.password_file.empty())
            where.password = read_secret_file(where.password_file);
    } catch (unavailable const& failure) {
        throw session_broken("database " + where.text() + ": password file: " + failure.what());
    } catch (not_private const& failure) {
        throw session_broken("database " + where.text() + ": password file: " + failure.what());
    }
    return where;
}

} // namespace

void close_session::operator()(soci::session* session) const
{
    delete session;
}

session_ptr open_session(location const& to, database_settings const& settings, time_source const& time)
{
    auto const where = with_current_password(to);
    auto* const logins = settings.logins.get();
    if (auto const refusal = logins == nullptr ? std::nullopt : logins->refusal_of(where.password, time.now()))
        throw login_refused(*refusal);
    try {
        auto session = dialect_of(where.engine).connect(where, settings, time);
        if (logins != nullptr)
            logins->accepted();
        return session;
    } catch (session_broken const& failure) {
        throw session_broken("database " + where.text() + ": " + failure.what());
    } catch (...) {
        auto const failure = database_failure();
        if (!failure)
            throw;
        auto const reason = "database " + where.text() + ": " + without_password(failure->what(), where);
        if (logins == nullptr || failure->why() != statement_error::kind::login)
            throw session_broken(reason);
        logins->refused(where.password, reason, time.now());
        throw login_refused(reason);
    }
}

} // namespace baton::storage
