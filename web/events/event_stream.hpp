#pragma once

#include "libs/base/loop.hpp"
#include "libs/http/body_source.hpp"
#include "web/events/change_log.hpp"

#include <optional>
#include <string>

namespace baton::web {

class event_hub;

// The events for one page (https://html.spec.whatwg.org/multipage/server-sent-events.html). It keeps the number of the
// last event and no event, so a page that reads slowly gets one event for many changes and costs no memory.
class event_stream final : public http::body_source {
public:
    // `pending`: the topics of the first event, which is sent at once, even without any.
    event_stream(event_hub& hub, topic_set pending);
    ~event_stream() override;
    event_stream(event_stream const&) = delete;
    event_stream& operator=(event_stream const&) = delete;

    awaitable<std::string> next() override;
    void close() override;
    void wake();

private:
    event_hub& hub_;
    std::optional<waker> bell_; // made by the first next() that waits, on the loop of its caller
    topic_set pending_;
    std::int64_t sent_ = -1; // the number of the last event; -1: none was sent
    bool closed_ = false;
};

// The text of an event. Pure.
std::string event_text(std::string const& id, topic_set topics);

} // namespace baton::web
