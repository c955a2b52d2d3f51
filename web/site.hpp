#pragma once
// baton::web: the interface for people and programs. REST under /api/v1 (docs/openapi.yaml), a page at /, and the
// health checks. It writes rows and tells the master; it decides nothing about executions.

#include "libs/base/random.hpp"
#include "libs/base/setting.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/database.hpp"

#include <memory>
#include <string>

namespace baton::web {

struct settings {
    // The token that requests under /api must show ("Authorization: Bearer"). Empty: no token, and the site then
    // answers only requests that name a loopback host and come from its own page, so that no other web site can use a
    // browser to reach it. The composition refuses to listen elsewhere without a token.
    std::string token;
    std::string name_space = "master"; // of the lock row; the triggers' election.namespace
    duration edit_lead = 1s;       // from an edit to the first instant that it governs; the triggers' planner.edit_lead
    duration notify_limit = 500ms; // for telling the master
    duration master_cache = 1s;    // how long the master's address is used before the lock row is read again
    int event_streams = 1'000;     // pages that listen for events at the same time (GET /api/v1/events)
    duration zones_check = 30s;    // between looks at the zone files; the triggers' zones.check

    void check(setting_check& all) const;
};

struct dependencies {
    time_source& time;
    random_source& random;
    storage::database& shared; // several sessions
    lease::lease_store& lease; // on one session of its own
    http::client& http;
};

// On one loop, as are its dependencies.
class site {
public:
    site(settings chosen, dependencies given); // throws as settings::validate does
    ~site();

    // Follows the zone database of the cluster, so that previews show what the master plans, and tells pages what has
    // changed. Until it is cancelled.
    awaitable<void> run();

    // For the listener. Must not outlive the site.
    http::handler routes();

    // For the listener too: no body is read that the site would refuse by the header, and none outside of /api. A
    // request to a trigger node gets 421, which tells an agent that it has web's address.
    http::admitter admitter() const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::web
