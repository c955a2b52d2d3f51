#pragma once
// baton::web: what people and programs see. REST under /api/v1 (docs/openapi.yaml), a page at /, and the health checks.
// It writes rows and tells the master; it decides nothing about executions.

#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
#include "libs/http/client.hpp"
#include "libs/http/message.hpp"
#include "libs/lease/lease_store.hpp"
#include "libs/storage/database.hpp"

#include <memory>
#include <string>

namespace baton::web {

struct settings {
    // What "Authorization: Bearer" must carry under /api. Empty: nothing is asked, and the site then answers only
    // requests that name a loopback host and come from its own page, so that no other web site can use a browser
    // to reach it. Listening elsewhere without a token is for the composition to refuse.
    std::string token;
    duration edit_lead = 1s;       // from an edit to the first instant that it decides; the triggers' planner.edit_lead
    duration notify_limit = 500ms; // for telling the master
    duration master_cache = 1s;    // how long the master's address is used before the lock row is read again

    void validate() const; // throws invalid_input naming the key ("web.edit_lead")
};

// What the outside world gives the site.
struct world {
    time_source& time;
    random_source& random;
    storage::database& shared; // several sessions
    lease::lease_store& lease; // on one session of its own
    http::client& http;
};

// Everything on one loop.
class site {
public:
    site(settings how, world outside);
    ~site();

    // What the listener serves; must not outlive the site.
    http::handler routes();

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

} // namespace baton::web
