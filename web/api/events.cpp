#include "libs/http/body_source.hpp"
#include "web/api/api.hpp"
#include "web/events/event_hub.hpp"
#include "web/query_parameters.hpp"

namespace baton::web {

namespace {

awaitable<http::response> stream_events(context& site, http::request const& message)
{
    expect_no_query(message);
    http::response answer;
    answer.headers.set("Content-Type", "text/event-stream");
    answer.headers.set("X-Accel-Buffering", "no"); // or a proxy (nginx) collects events before it passes them on
    answer.stream = site.events.open(message.headers.find("Last-Event-ID"));
    co_return answer;
}

} // namespace

void serve_events(http::router& table, context& site)
{
    serve(table, site, http::verb::get, "/api/v1/events", stream_events);
}

} // namespace baton::web
