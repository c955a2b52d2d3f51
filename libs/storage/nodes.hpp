#pragma once

#include "libs/storage/database.hpp"

#include <string>
#include <vector>

namespace baton::storage {

struct node_record {
    std::string incarnation;
    std::string name;
    std::string address; // "http://10.0.0.1:7800"
    std::string secret;  // calls to the node carry it
    std::string role;    // master, slave
    std::string version; // of the program
    int revision = 0;    // protocol::wire_revision of its build
    int load_permille = 0;
    int clients = 0;           // that it hears
    std::string health = "{}"; // JSON: the longest steps of its loops, its contact with the master
    bool draining = false;
    duration ttl{};
    utc_time started_at;
    utc_time heartbeat_at; // by the database's clock
    duration age{};        // since then, by the same clock; set on reading
    bool alive() const { return age < ttl; }
};

// All nodes at one instant.
struct roster {
    std::vector<node_record> nodes;
    utc_time now;             // by the database's clock; unset where there are no nodes
    utc_time clients_changed; // the latest changed_at of any client's row
};

// The nodes of the cluster. All times are by the database's clock.
class nodes {
public:
    explicit nodes(database& shared) : shared_(shared) {}

    // Inserts or refreshes the row of this incarnation: one statement.
    awaitable<void> beat(node_record const& self);
    awaitable<roster> read(); // one statement
    awaitable<std::vector<node_record>> all();
    awaitable<void> remove(std::string incarnation);

private:
    database& shared_;
};

} // namespace baton::storage
