#include "web/events/event_stream.hpp"

#include "web/events/event_hub.hpp"

#include <nlohmann/json.hpp>

namespace baton::web {

namespace {

constexpr duration keep_alive = 15s;                     // proxies close what is silent for a minute
constexpr std::string_view preamble = "retry: 2000\n\n"; // ms until a page whose stream broke comes again

} // namespace

std::string event_text(std::string const& id, topic_set topics)
{
    auto names = nlohmann::json::array();
    for (std::size_t i = 0; i < storage::topics; ++i)
        if (topics.test(i))
            names.push_back(protocol::names_of<storage::topic>[i]);
    return "id: " + id + "\nevent: changed\ndata: " + nlohmann::json{{"topics", std::move(names)}}.dump() + "\n\n";
}

event_stream::event_stream(event_hub& hub, topic_set pending) : hub_(hub), pending_(pending)
{
    hub_.streams_.insert(this);
}

event_stream::~event_stream()
{
    hub_.leave(this);
}

void event_stream::close()
{
    closed_ = true;
    wake();
}

void event_stream::wake()
{
    if (bell_)
        bell_->wake();
}

awaitable<std::string> event_stream::next()
{
    auto const& log = hub_.log_;
    if (sent_ < 0 && !closed_) {
        sent_ = log.number();
        co_return std::string(preamble) + event_text(log.place(), pending_);
    }
    if (!bell_)
        bell_.emplace(co_await asio::this_coro::executor);
    auto const until = hub_.time_.now() + keep_alive;
    while (!closed_) {
        if (log.number() > sent_) {
            auto const changed = log.since(sent_);
            sent_ = log.number();
            co_return event_text(log.place(), changed);
        }
        bool const woken = co_await bell_->wait_until(hub_.time_, until);
        if (!woken && !closed_)
            co_return std::string(":\n\n");
    }
    co_return std::string();
}

} // namespace baton::web
