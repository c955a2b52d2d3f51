#include "libs/lock/redis/redis_doorbell.hpp"

namespace baton::lock {

redis_doorbell::redis_doorbell(redis_location where, redis_connection_parts parts)
    : where_(std::move(where)), parts_(std::move(parts))
{}

redis_doorbell::~redis_doorbell()
{
    if (!connection_)
        return;
    connection_->on_message = {};
    connection_->on_end = {};
    connection_->close("not needed any more");
}

std::shared_ptr<redis_connection> redis_doorbell::connection()
{
    if (connection_ && connection_->is_open())
        return connection_;
    connection_ = redis_connection::open(where_, parts_);
    connection_->on_message = [this](std::string const& channel) { ring(channel); };
    connection_->on_end = [this] { ended(); };
    return connection_;
}

void redis_doorbell::ring(std::string const& channel)
{
    if (auto const found = ears_.find(channel); found != ears_.end())
        for (auto* each : found->second)
            each->bell_.wake();
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
    auto const by = of_.connection();
    redis_command const subscribe{"SUBSCRIBE", channel_};
    auto const answer = co_await by->call(subscribe);
    if (answer.is_error())
        throw unavailable("Redis " + of_.where_.text() + ": " + answer.text);
    hears_ = by->is_open();
}

awaitable<void> redis_doorbell::ear::wait(instant at)
{
    bool const rung = co_await bell_.wait_until(of_.parts_.time, at);
    if (!rung)
        hears_ = false;
}

} // namespace baton::lock
