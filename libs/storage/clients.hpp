#pragma once

#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/service_key.hpp"
#include "libs/storage/database.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

class statement;

enum class client_state { up, draining, gone };
std::string_view to_string(client_state which);
client_state parse_client_state(std::string const& text); // throws `unavailable` for another text

// A client as a list of many shows it.
struct client_listing {
    std::string instance;
    std::string project = "default";
    std::string service;
    std::string handlers; // JSON array of names; tags are among them (libs/protocol/offers.hpp)
    std::string node;     // incarnation that hears its heartbeats
    client_state state = client_state::up;
    bool unreachable = false; // its home cannot call it
    bool drained = false;     // by a person
    int places = 1;           // slots and places in its queue
    utc_time changed_at;
};

// A person drains a client: it gets no new executions, also after further registrations, until a person resumes it.
struct client_drain {
    utc_time since;
    std::string by;
    std::string reason; // both may be empty
};
enum class drain_outcome { done, not_found, already };
struct drain_change {
    drain_outcome outcome = drain_outcome::not_found;
    std::string node; // that hears the client
};

// The clients of a service that are not gone, each counted once: by the first of the members that is true of it.
struct service_clients {
    std::int64_t drained = 0;     // by a person
    std::int64_t draining = 0;    // they shut down
    std::int64_t unreachable = 0; // by their home
    std::int64_t pending = 0;     // their home has not called them yet
    std::int64_t up = 0;          // the others: they get work
};
// The member that counts a client of this state, which is not gone. Pure.
std::int64_t service_clients::*count_of(client_state state, protocol::reach reach, bool drained);

struct client_record {
    std::string instance;
    std::string project = "default";
    std::string service;
    std::string address;
    std::string secret;
    std::vector<std::string> handlers; // and tags (libs/protocol/offers.hpp)
    int slots = 1;
    int queue = 0;
    std::string version;
    std::int64_t generation = 0; // of the registration: see protocol::register_request
    std::string node;            // incarnation that hears its heartbeats
    client_state state = client_state::up;
    utc_time joined_at;
    utc_time changed_at;
    protocol::reach reach = protocol::reach::pending; // can its home call it?
    std::string reach_why;                            // for people, if it cannot
    bool text_ids = false;                            // see protocol::id_form
    std::string schema_set;                           // the document of its schemas (handler_schemas.hpp); may be empty
    std::optional<client_drain> drained;              // only read: registrations do not change it
};

// A client as of one of its registrations. A write that was held up on its way must not undo a later registration, so
// all writes name the registration that they belong to.
struct registered_client {
    std::string instance;
    std::int64_t generation = 0;
};

// A write of one client's row. Each counts only for the registration that it names.
struct client_write {
    enum class kind {
        put,   // registers the client, or changes its state
        leave, // marks it as gone, wherever it is
        bury,  // marks it as gone if `row.node` still hears it under this registration
    };
    kind what = kind::put;
    client_record row; // of `leave` and `bury` only the instance, the generation and the node; of a `leave` that a
                       // node that is not the home has received, the secret, which must be that of the row
};
struct client_written {
    bool kept = false;       // false: nothing has changed
    bool overtaken = false;  // by a later registration
    bool drained = false;    // by a person
    std::string node_before; // that heard the client until now; empty: the instance is new
};

// The state of a row before a write.
struct client_standing {
    bool known = false; // there is a row
    bool gone = false;
    std::string secret;
    std::string node;
    std::int64_t generation = 0;
    bool drained = false; // by a person
};
// May this write change the row? Pure.
client_written judge(client_standing const& before, client_write const& wanted);

struct reach_change {
    std::string instance;
    std::int64_t generation = 0;
    protocol::reach state = protocol::reach::pending;
    std::string why;
};

// The clients' rows: joins, changes, drains, departures. Heartbeats are not written here.
class clients {
public:
    explicit clients(database& shared) : shared_(shared) {}

    // One transaction, with one statement of each kind for up to 500 rows; changed_at is the database's now. The
    // answers stand in the order of the group, in which a client may occur more than once. A put is not kept, with
    // nothing changed, when the instance is gone (its attempts were handed on, so it never returns) or has another
    // secret (the name belongs to another client), and when the client has registered again since, or this generation
    // with another node.
    awaitable<std::vector<client_written>> write(std::vector<client_write> const& group);
    awaitable<client_written> put(client_record const& client); // alone

    awaitable<std::vector<client_record>> find(std::vector<std::string> instances);
    // All clients that are not gone.
    struct page {
        std::vector<client_record> clients;
        utc_time now; // the database's, before the rows were read
    };
    awaitable<page> all();

    // Those that are not gone, of a project or a service or of all, in order of instance: at most `most` that follow
    // `after_instance`.
    struct scope {
        std::optional<std::string> project;
        std::optional<std::string> service; // only with a project
    };
    awaitable<std::vector<client_record>> find_in(scope of, std::string after_instance, std::size_t most);

    // At most `most` rows that follow `after` in the order of the list; the list ends with a page that has fewer.
    struct list_page {
        std::vector<client_listing> clients;
        utc_time now; // the database's, before the rows were read
    };
    awaitable<list_page> list(std::string after_instance, std::size_t most); // not gone, in order of instance
    // Changed at `since` or later, including those gone, in order of the change. The first page has an empty
    // `after_instance`. Callers let the intervals overlap by a few seconds, because commits do not come in that order.
    awaitable<list_page> changed_since(utc_time since, std::string after_instance, std::size_t most);

    // Mark clients as gone and return their instances: those that `node` still hears under the same registration, or
    // `most` of those that it hears.
    awaitable<std::vector<std::string>> bury(std::string node, std::vector<registered_client> wanted);
    awaitable<std::vector<std::string>> bury_heard_by(std::string node, std::size_t most);
    // How `node` reaches clients of its own; those that have registered again since, or are gone, stay as they are.
    // changed_at moves only for a client that becomes unreachable or was: the master passes over such clients. One
    // transaction.
    awaitable<void> set_reach(std::string node, std::vector<reach_change> changes);
    // A client that is not gone receives no new executions from now on, or receives them again. `by` and `reason` may
    // be empty.
    awaitable<drain_change> drain(std::string instance, std::string by, std::string reason);
    awaitable<drain_change> resume(std::string instance);
    // Deletes rows gone for longer than `age`.
    awaitable<void> purge(duration age);

    // The handlers of a service's clients that are not gone. Reads no client of another service, but the names of a few
    // services of the project if this one has no client.
    struct served_handlers {
        protocol::service_key service;
        std::vector<std::string> handlers; // in order, without tags
        std::int64_t instances = 0;
        std::vector<std::string> others; // at most most_others
    };
    static constexpr std::size_t most_others = 21;
    awaitable<served_handlers> served(protocol::service_key service);

    // The clients of a service that are alike, counted.
    struct alike {
        protocol::service_key service;
        std::vector<std::string> handlers; // and tags (libs/protocol/offers.hpp)
        client_state state = client_state::up;
        protocol::reach reach = protocol::reach::pending;
        std::int64_t instances = 0;
        bool drained = false; // by a person
    };
    struct standing_page {
        std::vector<alike> clients;
        utc_time now; // the database's
    };
    // The states of the clients of these services, without clients that are gone.
    awaitable<standing_page> standing(std::vector<protocol::service_key> of);

    // Those of these services that are not gone, counted. Reads the clients of all services from the first to the last.
    awaitable<std::map<protocol::service_key, service_clients>> count(std::vector<protocol::service_key> of);

private:
    awaitable<std::vector<registered_client>> heard_by(std::string node, std::size_t most);
    awaitable<list_page> read_list(std::function<void(statement&)> which, std::size_t most);

    database& shared_;
};

} // namespace baton::storage
