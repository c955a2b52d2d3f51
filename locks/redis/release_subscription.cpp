#include "locks/redis/release_subscription.hpp"

#include <charconv>

namespace baton::lock {

redis_release_subscriptions::redis_release_subscriptions(redis_route& route, redis_connection_deps deps)
    : route_(route), deps_(deps)
{}

redis_release_subscriptions::~redis_release_subscriptions()
{
    if (!connection_)
        return;
    connection_->on_message = {};
    connection_->on_end = {};
    connection_->close("no longer needed");
}

awaitable<std::shared_ptr<redis_connection>> redis_release_subscriptions::connection(instant until)
{
    auto const where = co_await route_.find_publisher(until);
    if (connection_ && connection_->is_open() && connection_->where() == where)
        co_return connection_;
    if (connection_)
        connection_->close("another server publishes now");
    connection_ = redis_connection::open(where, deps_);
    connection_->on_message = [this](std::string const& channel, std::string const& text) { deliver(channel, text); };
    connection_->on_end = [this] { connection_ended(); };
    co_return connection_;
}

void redis_release_subscriptions::deliver(std::string const& channel, std::string const& text)
{
    std::uint64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    if (auto const found = waiting_.find(channel); found != waiting_.end())
        for (auto* each : found->second) {
            each->receivers_ = count + found->second.size() - 1; // these share one connection
            each->changed_.wake();
        }
}

// A message may have been lost: all waiters look at the lock again and then subscribe again.
void redis_release_subscriptions::connection_ended()
{
    for (auto const& [channel, waiters] : waiting_)
        for (auto* each : waiters) {
            each->active_ = false;
            each->changed_.wake();
        }
}

redis_release_subscriptions::subscription::subscription(redis_release_subscriptions& owner, std::string channel)
    : owner_(owner), channel_(std::move(channel)), changed_(owner.deps_.loop)
{
    owner_.waiting_[channel_].insert(this);
}

redis_release_subscriptions::subscription::~subscription()
{
    auto const found = owner_.waiting_.find(channel_);
    found->second.erase(this);
    if (!found->second.empty())
        return;
    owner_.waiting_.erase(found);
    if (owner_.connection_ && owner_.connection_->is_open())
        owner_.connection_->send({"UNSUBSCRIBE", channel_});
}

awaitable<void> redis_release_subscriptions::subscription::subscribe()
{
    auto const until = owner_.deps_.time.now() + owner_.deps_.limit;
    auto const connection = co_await owner_.connection(until);
    redis_command const command{"SUBSCRIBE", channel_};
    auto const answer = co_await connection->call(command, until);
    if (answer.is_error())
        throw unavailable("Redis " + connection->where().text() + ": " + answer.text);
    active_ = connection->is_open();
}

awaitable<std::uint64_t> redis_release_subscriptions::subscription::wait(instant until)
{
    receivers_ = 0;
    bool const arrived = co_await changed_.wait_until(owner_.deps_.time, until);
    if (!arrived)
        active_ = false;
    co_return receivers_;
}

awaitable<void> redis_release_subscriptions::subscription::clear()
{
    co_await changed_.wait_until(owner_.deps_.time, owner_.deps_.time.now());
}

} // namespace baton::lock
