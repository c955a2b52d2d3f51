#pragma once

#include "trigger/master/listed_client.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// How many clients of each service meet a demand (protocol::demand_for). The clients are counted when a demand is asked
// for first; from then on the count is kept up, so that a question costs no look at each client. On the loop only.
class served_demands {
public:
    struct count {
        std::size_t staying = 0; // clients that do not drain
        std::size_t working = 0; // of them, those that take work now
    };
    // `clients`: all of the service.
    count of(protocol::service_view service, std::string const& demand,
             std::vector<listed_client const*> const& clients);
    // A client has come, with what it takes, or goes, still with the same.
    void joined(listed_client const& client) { add(client, 1); }
    void left(listed_client const& client) { add(client, -1); }

    std::uint64_t looks() const { return looks_; } // at a client, for one demand

private:
    void add(listed_client const& client, int sign);
    void add(count& kept, listed_client const& client, std::string const& demand, int sign);

    protocol::service_table<std::unordered_map<std::string, count>> services_;
    std::size_t kept_ = 0; // demands of all services
    std::uint64_t looks_ = 0;
};

} // namespace baton::trigger
