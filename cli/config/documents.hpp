#pragma once
// The four configurations, one for each process: their keys and the rules among them. Each has a JSON Schema in
// config/schema; a test compares keys and schemas.

#include "agent/settings.hpp"
#include "cli/config/reader.hpp"
#include "libs/storage/database.hpp"
#include "trigger/settings.hpp"
#include "web/site.hpp"

#include <cstdint>
#include <string>

namespace baton::cli {

inline constexpr std::uint16_t trigger_port = 7800;
inline constexpr std::uint16_t web_port = 7801;

struct listen_config {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;           // 0: any free one
    std::size_t peer_connections = 0; // from one address, except loopback; 0: a quarter of all
};

struct database_config {
    std::string url;
    std::string password;      // instead of one in the url
    std::string password_file; // that the password was read from; empty if it came from elsewhere
    std::size_t sessions = 4;

    storage::location where() const;
};

struct trigger_config {
    listen_config listen{.port = trigger_port};
    database_config database;
    trigger::settings node; // an empty address is derived from `listen`
    std::string log_level = "info";
};

struct web_config {
    listen_config listen{.port = web_port};
    database_config database;
    web::settings site;
    std::string log_level = "info";
};

struct agent_config {
    agent::settings agent;
    std::string log_level = "info";
};

// trigger, web and agent in one process on loopback
struct dev_config {
    std::string data = "baton-data"; // folder of baton.db
    std::uint16_t trigger = trigger_port;
    std::uint16_t web = web_port;
    agent::settings agent;
    std::string log_level = "info";
};

// Read each known key from the document or the environment.
void bind(reader& from, trigger_config& into);
void bind(reader& from, web_config& into);
void bind(reader& from, agent_config& into);
void bind(reader& from, dev_config& into);

// Fill in the keys that are derived from others, and note settings that cannot work.
void settle(reader& from, trigger_config& config);
void settle(reader& from, web_config& config);
void settle(reader& from, agent_config& config);
void settle(reader& from, dev_config& config);

void check_database(reader& from, database_config const& database);

// A whole configuration from a file (none when empty) and the environment, over `config`. Throws config_error.
template <class Config>
Config load(std::filesystem::path const& file, environment outside, Config config = {})
{
    auto from = reader::open(file, std::move(outside));
    bind(from, config);
    from.finish();
    settle(from, config);
    from.report();
    return config;
}

} // namespace baton::cli
