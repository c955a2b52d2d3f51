#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace soci {
class session;
}

namespace baton::sim {

// What SQL can ask of a server about its sessions and the locks that these hold by name. It is answered for the session
// whose statement runs. Nothing is NULL; an exception fails the statement with its text.
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

// Gives a SQLite session baton_connection_id(), baton_server_id(), baton_get_lock(name, seconds),
// baton_release_lock(name), baton_lock_holder(name), baton_kill_query(id) and baton_kill(id). `functions` must outlive
// it. A name that is NULL or empty and a time that is NULL or negative give NULL, as with MariaDB.
void register_session_functions(soci::session& sql, session_functions& functions);

} // namespace baton::sim
