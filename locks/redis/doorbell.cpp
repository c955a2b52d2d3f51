#include "locks/redis/doorbell.hpp"

#include <charconv>

namespace baton::lock {

redis_doorbell::redis_doorbell(redis_route& route, redis_connection_parts parts) : route_(route), parts_(parts) {}

redis_doorbell::~redis_doorbell()
{
    if (!connection_)
        return;
    connection_->on_message = {};
    connection_->on_end = {};
    connection_->close("not needed any more");
}

awaitable<std::shared_ptr<redis_connection>> redis_doorbell::connection(instant until)
{
    auto const where = co_await route_.find_news(until);
    if (connection_ && connection_->is_open() && connection_->where() == where)
        co_return connection_;
    if (connection_)
        connection_->close("it is told elsewhere now");
    connection_ = redis_connection::open(where, parts_);
    connection_->on_message = [this](std::string const& channel, std::string const& text) { ring(channel, text); };
    connection_->on_end = [this] { ended(); };
    co_return connection_;
}

void redis_doorbell::ring(std::string const& channel, std::string const& text)
{
    std::uint64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    if (auto const found = ears_.find(channel); found != ears_.end())
        for (auto* each : found->second) {
            each->told_ = count + found->second.size() - 1; // on one connection
            each->bell_.wake();
        }
}

// Something may have been told since: all look again, and then listen again.
void redis_doorbell::ended()
{
    for (auto const& [channel, waiting] : ears_)
        for (auto* each : waiting) {
            each->hears_ = false;
            each->bell_.wake();
        }
}

redis_doorbell::ear::ear(redis_doorbell& of, std::string channel)
    : of_(of), channel_(std::move(channel)), bell_(of.parts_.loop)
{
    of_.ears_[channel_].insert(this);
}

redis_doorbell::ear::~ear()
{
    auto const found = of_.ears_.find(channel_);
    found->second.erase(this);
    if (!found->second.empty())
        return;
    of_.ears_.erase(found);
    if (of_.connection_ && of_.connection_->is_open())
        of_.connection_->send({"UNSUBSCRIBE", channel_});
}

awaitable<void> redis_doorbell::ear::listen()
{
    auto const until = of_.parts_.time.now() + of_.parts_.limit;
    auto const by = co_await of_.connection(until);
    redis_command const subscribe{"SUBSCRIBE", channel_};
    auto const answer = co_await by->call(subscribe, until);
    if (answer.is_error())
        throw unavailable("Redis " + by->where().text() + ": " + answer.text);
    hears_ = by->is_open();
}

awaitable<std::uint64_t> redis_doorbell::ear::wait(instant at)
{
    told_ = 0;
    bool const rung = co_await bell_.wait_until(of_.parts_.time, at);
    if (!rung)
        hears_ = false;
    co_return told_;
}

awaitable<void> redis_doorbell::ear::forget()
{
    co_await bell_.wait_until(of_.parts_.time, of_.parts_.time.now());
}

} // namespace baton::lock
