#pragma once
// The real site on a real store, called through its handler. Every exchange under /api and of the health checks is also
// written to the file that BATON_WEB_EXCHANGES names, for check_openapi.py.

#include "libs/http/http.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/storage.hpp"
#include "tests/support/stores.hpp"
#include "web/site.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace baton::web::test {

using baton::test::wait_for;
using nlohmann::json;

// Takes the place of the network: records each request and answers with `status`.
class recording_client final : public http::client {
public:
    awaitable<http::response> send(http::url to, http::request message, duration limit) override;

    struct sent {
        std::string to;
        std::string target;
        std::string authorization;
        json body;
        duration limit;
    };
    std::vector<sent> seen;
    int status = 200; // 0: no answer
    json body;        // of the answers; null: none
};

using headers = std::map<std::string, std::string>;

// The loops in the row of the node "alpha", as JSON.
inline constexpr char loops_of_alpha[] =
    R"([{"name":"work","longest_step_ms":1.5,"longest_step_wall_ms":2.0,"part":"planner"}])";

class site_on_store {
public:
    explicit site_on_store(storage::engine engine, settings how = {});

    http::response call(http::verb method, std::string target, std::string body = {}, headers const& with = {});
    http::response get(std::string target, headers const& with = {});
    http::response post(std::string target, json const& body, headers const& with = {});

    // The same, returning the document; requires this status.
    json got(int status, std::string target);
    json posted(int status, std::string target, json const& body = nullptr, headers const& with = {});

    json problem(int status, http::response const& answer) const; // checks status and media type

    void join_client(std::string service, std::vector<std::string> handlers, std::string project = "default");
    void lead(std::string incarnation, std::string address,
              std::string secret);        // registers a node and seizes the lease
    std::string create(json const& task); // its id

    baton::test::store data;
    std::unique_ptr<baton::test::store> lease_file; // on SQLite
    system_time time;
    seeded_random random{20261121};
    recording_client http;
    std::unique_ptr<storage::database> shared;
    std::unique_ptr<storage::database> leasing;
    std::unique_ptr<lease::lease_store> lease;
    std::unique_ptr<web::site> site;
    http::handler routes;
};

// A task that the client of arrange() serves.
json sample(std::string name);

// A site with one live client: service "billing", handlers "close-day" and "remind".
std::unique_ptr<site_on_store> arrange(storage::engine engine, settings how = {});

} // namespace baton::web::test
