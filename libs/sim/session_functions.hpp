#pragma once
// MySQL's functions for sessions and named locks, as SQL functions of SQLite.

#include <cstdint>
#include <optional>
#include <string>

namespace soci {
class session;
}

namespace baton::sim {

// The implementation behind the SQL functions, called for the session owner statement runs. An empty optional becomes
// NULL; an exception fails the statement with its message.
class session_functions {
public:
    using number = std::optional<std::int64_t>;

    virtual ~session_functions() = default;

    virtual number connection_id() = 0;
    virtual std::string server_id() = 0;
    virtual number get_lock(std::string const& name, double seconds) = 0;
    virtual number release_lock(std::string const& name) = 0;
    virtual number lock_holder(std::string const& name) = 0;
    virtual number kill_query(std::int64_t id) = 0;
    virtual number kill(std::int64_t id) = 0;
};

// Registers baton_connection_id(), baton_server_id(), baton_get_lock(name, seconds), baton_release_lock(name),
// baton_lock_holder(name), baton_kill_query(id) and baton_kill(id) with a SQLite session. `functions` must outlive it.
// As in MariaDB, a name that is NULL or empty, or a time that is NULL or negative, returns NULL.
void register_session_functions(soci::session& sql, session_functions& functions);

} // namespace baton::sim
