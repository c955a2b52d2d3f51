#pragma once
// Services and projects as web lists, pauses and configures them.

#include "libs/base/id.hpp"
#include "libs/protocol/pause.hpp"
#include "libs/protocol/service_settings.hpp"
#include "libs/protocol/term_id.hpp"
#include "libs/storage/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

enum class pause_outcome { done, already, not_found };
struct pause_result {
    pause_outcome outcome = pause_outcome::done;
    protocol::pause pause; // as it stands now
    signal_id signal;      // for the master
};

enum class settings_outcome { done, stale_version };
struct settings_result {
    settings_outcome outcome = settings_outcome::done;
    protocol::scope_settings now;
    signal_id signal; // for the master
};

// A service exists once a task or a client names it, a project once one of its services does. A key with an empty
// service means the whole project.
class services {
public:
    explicit services(database& shared, protocol::namespace_id name_space = protocol::first_namespace)
        : shared_(shared), name_space_(name_space)
    {}

    // In the order of (project, service), behind `after`.
    awaitable<std::vector<protocol::service_key>> list(std::optional<std::string> project, protocol::service_key after,
                                                       std::size_t limit);
    awaitable<std::vector<std::string>> projects(std::string after, std::size_t limit);
    awaitable<bool> known(protocol::service_key which);

    // In one transaction with the signal for the master. `since` is set here.
    awaitable<pause_result> pause(protocol::pause wanted, id_generator& ids);
    awaitable<pause_result> resume(protocol::service_key which, std::string by, id_generator& ids);

    awaitable<std::vector<protocol::pause>> pauses_in_force();
    // The pauses of exactly this service or project, the latest first.
    awaitable<std::vector<protocol::pause>> history(protocol::service_key which, int limit);

    // Of exactly this service or project; of version 0 if they were never set.
    awaitable<protocol::scope_settings> settings(protocol::service_key which);
    // The service's, behind those of its project.
    awaitable<std::vector<protocol::scope_settings>> settings_for(protocol::service_key service);
    // In one transaction with the signal for the master. `seen`: the version that the caller changes, or none. The
    // service or project need not exist yet.
    awaitable<settings_result> set_settings(protocol::service_key which, std::optional<int> seen,
                                            protocol::service_settings wanted, id_generator& ids);

private:
    database& shared_;
    protocol::namespace_id name_space_;
};

} // namespace baton::storage
