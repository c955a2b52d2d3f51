#pragma once
// The schemas that clients announce of their handlers (libs/protocol/handler_schemas.hpp): a document for each build of
// a service, however many clients it has. A client's row has only the document's name.

#include "libs/protocol/handler_schemas.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/storage/database.hpp"

#include <map>
#include <string>
#include <vector>

namespace baton::storage {

struct schema_document {
    protocol::service_key service;
    std::string hash; // protocol::schema_set_of the text
    std::string text;
};

// A service keeps that many documents: when there are more, those that were seen the longest ago are deleted.
inline constexpr std::size_t most_schema_documents = 20;

class handler_schemas {
public:
    explicit handler_schemas(database& shared) : shared_(shared) {}

    // Inserts the documents, or updates when they were seen. One transaction.
    awaitable<void> keep(std::vector<schema_document> seen);

    // Looks at the documents that were not seen for `age`: those that the row of a client names count as seen now, and
    // the others are deleted.
    awaitable<void> purge(duration age);

    // Clients of a service that are not gone, with the same handlers and the same document.
    struct group {
        std::vector<std::string> handlers; // without tags
        std::int64_t clients = 0;
        utc_time joined_at;     // the last of them
        std::string schema_set; // empty: they announce nothing, or their document is not kept any more
    };
    struct announced {
        std::vector<group> groups;
        std::map<std::string, std::vector<protocol::handler_schema>> documents; // by name
    };
    awaitable<announced> of(protocol::service_key service);

private:
    database& shared_;
};

} // namespace baton::storage
