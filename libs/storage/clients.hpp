#pragma once

#include "libs/storage/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace baton::storage {

enum class client_state { up, draining, gone };
std::string_view to_string(client_state which);

struct client_record {
    std::string instance;
    std::string service;
    std::string address;
    std::string secret;
    std::vector<std::string> handlers;
    int slots = 1;
    int queue = 0;
    std::string version;
    std::string node; // incarnation that hears its heartbeats
    client_state state = client_state::up;
    utc_time joined_at;
    utc_time changed_at;
};

// The clients' rows: joins, changes, drains, departures. Heartbeats are not written here.
class clients {
public:
    explicit clients(database& shared) : shared_(shared) {}

    // Inserts or replaces; changed_at is the database's now. False, with nothing changed, when the instance is gone
    // (its attempts were handed on, so it never returns) or has another secret (the name belongs to another client).
    awaitable<bool> put(client_record const& client);
    // Returns false, with nothing changed, when another node hears the client by now or the client is gone.
    awaitable<bool> set_state(std::string instance, std::string node, client_state state);
    // All clients that are not gone, and the database's now, from which `changed_since` continues.
    struct page {
        std::vector<client_record> clients;
        utc_time now;
    };
    awaitable<page> all();
    // Clients changed at or after `since`, including those gone. Callers let the intervals overlap by a few seconds,
    // because commits do not come in the order of changed_at.
    awaitable<page> changed_since(utc_time since);
    // Marks all clients of `node` as gone, because that node is; returns their instances.
    awaitable<std::vector<std::string>> bury_heard_by(std::string node);
    // Deletes rows gone for longer than `age`.
    awaitable<void> purge(duration age);

    struct service_handlers {
        std::string service;
        std::vector<std::string> handlers;
        int instances = 0;
    };
    awaitable<std::vector<service_handlers>> services(); // of clients not gone; for choosing and checking handlers

private:
    database& shared_;
};

} // namespace baton::storage
