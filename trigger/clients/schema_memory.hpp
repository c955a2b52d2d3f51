#pragma once

#include "libs/base/time.hpp"
#include "libs/protocol/service_key.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace baton::trigger {

struct schema_limits {
    duration keep = 1h;             // a document that was written longer ago is written again
    duration quick = 1min;          // see schema_memory
    std::size_t of_service = 20;    // documents remembered, as many as the table keeps
    std::size_t documents = 50'000; // of all services
};

// Which documents of handlers' schemas this node has written lately, so that the many clients of one build cost one
// write an hour. Belongs to the node; each service has room of its own, so no service makes the node forget the
// documents of another service. Pure.
class schema_memory {
public:
    explicit schema_memory(schema_limits limits = {}) : limits_(limits) {}

    enum class answer {
        known,    // written within the last hour
        write,    // to be written now: from now on it counts as written
        too_many, // the service has had as many other documents within the last minute, or there is no room
    };
    answer take(protocol::service_key const& service, std::string const& hash, instant now);
    // The document could not be written after all.
    void forget(protocol::service_key const& service, std::string const& hash);
    void forget_old(instant now);
    std::size_t size() const { return size_; }

private:
    using documents = std::map<std::string, instant>; // by hash: when it was taken
    bool make_room(documents& of, instant now);

    schema_limits limits_;
    protocol::service_map<documents> services_;
    std::size_t size_ = 0;
};

} // namespace baton::trigger
