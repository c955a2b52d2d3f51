#pragma once

#include "cli/config/documents.hpp"
#include "cli/database_door.hpp"
#include "cli/stores.hpp"
#include "cli/zone_thread.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/random.hpp"
#include "libs/http/client.hpp"
#include "libs/http/server.hpp"
#include "web/site.hpp"

#include <memory>

namespace baton::cli {

// The site with its databases and its listener, on one loop, which must outlive it. Declare it after the loop (see
// trigger_process).
class web_process {
public:
    // Binds the listener at once; throws unavailable if it cannot be bound.
    web_process(asio::io_context& loop, time_source& time, random_source& random, web_config config);

    // Waits for the database; afterwards no request is answered with 503 for the lack of it. run() does it beside its
    // listener if it was not called before.
    awaitable<void> open();

    // Runs until `stop`, and then until requests in progress are answered.
    awaitable<void> run();
    void stop() { stop_bell_.wake(); }

    std::string address() const; // "http://127.0.0.1:7801"

private:
    awaitable<void> stay_open();
    awaitable<void> serve();

    web_config config_;
    zone_thread zones_;
    time_source& time_;
    waker stop_bell_;
    stores stores_;
    std::unique_ptr<http::client> http_;
    std::unique_ptr<web::site> site_;
    std::unique_ptr<database_door> door_;
    bool opened_ = false;
    std::unique_ptr<http::server> listener_;
};

} // namespace baton::cli
