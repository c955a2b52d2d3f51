#pragma once

#include "libs/base/time.hpp"
#include "libs/schedule/zone_watch.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace baton::cli {

// Reads the zone files of this machine before it is made, and looks at them once a period on a thread of its own.
// A changed database is offered to the process (schedule::offer_zones).
class zone_thread {
public:
    explicit zone_thread(duration period);
    ~zone_thread();
    zone_thread(zone_thread const&) = delete;
    zone_thread& operator=(zone_thread const&) = delete;

private:
    void run();

    duration period_;
    schedule::zone_watch watch_{schedule::zone_folder()};
    std::mutex guard_;
    std::condition_variable stop_;
    bool stopping_ = false;
    std::thread thread_;
};

} // namespace baton::cli
