#pragma once

#include "libs/base/loop.hpp"
#include "libs/http/body_source.hpp"
#include "libs/storage/change_marks.hpp"
#include "web/events/change_log.hpp"
#include "web/events/event_pace.hpp"

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace baton::web {

class event_stream;

// Looks about once a second at what has changed, while at least one page listens, and wakes the streams of the pages.
// One look serves all of them. On the loop only; must outlive its streams.
class event_hub {
public:
    // `run`: see change_log. `limit`: streams at the same time.
    event_hub(storage::database& shared, std::string name_space, time_source& time, std::string run, std::size_t limit);

    // Until cancelled. The loop's executor is that of the caller.
    awaitable<void> run();

    // A page's stream. `last`: the id of the last event that the page has. The first event names what has changed
    // since, every topic if this process does not know that id, and nothing without one. Throws overloaded at the
    // limit.
    std::shared_ptr<http::body_source> open(std::optional<std::string> last);

private:
    friend class event_stream;

    awaitable<void> look();
    void leave(event_stream* stream);

    storage::change_marks marks_;
    time_source& time_;
    std::size_t limit_;
    change_log log_;
    std::unordered_set<event_stream*> streams_;
    std::unique_ptr<waker> bell_; // woken by the first stream; there while run() runs
    event_pace pace_;
    bool untold_ = false; // something has changed since the streams were woken
};

} // namespace baton::web
