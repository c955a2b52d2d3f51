#include "web/events/event_hub.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/base/overloaded.hpp"
#include "web/events/event_stream.hpp"

namespace baton::web {

namespace {

constexpr duration period = 1s;

} // namespace

event_hub::event_hub(storage::database& shared, std::string name_space, time_source& time, std::string run,
                     std::size_t limit)
    : marks_(shared, std::move(name_space)), time_(time), limit_(limit), log_(std::move(run))
{}

awaitable<void> event_hub::look()
{
    auto const asked = time_.now();
    untold_ = log_.take(co_await marks_.read()) || untold_;
    if (!untold_ || !pace_.may_tell(asked, streams_.size()))
        co_return;
    untold_ = false;
    for (auto* const stream : streams_)
        stream->wake();
}

awaitable<void> event_hub::run()
{
    auto const executor = co_await asio::this_coro::executor;
    bell_ = std::make_unique<waker>(executor);
    std::shared_ptr<void> const no_longer(nullptr, [this](void*) { bell_.reset(); }); // the loop may end before the hub
    auto const step = [this]() -> awaitable<void> {
        while (streams_.empty())
            co_await bell_->wait();
        co_await look();
    };
    co_await every("looking for changes that pages are told of", time_, period, step);
}

std::shared_ptr<http::body_source> event_hub::open(std::optional<std::string> last)
{
    if (streams_.size() >= limit_)
        throw overloaded("this web serves as many event streams as it may (web.event_streams); poll instead", 30s);
    auto const pending = last ? log_.since(*last) : topic_set();
    auto stream = std::make_shared<event_stream>(*this, pending);
    if (bell_)
        bell_->wake();
    return stream;
}

void event_hub::leave(event_stream* stream)
{
    streams_.erase(stream);
}

} // namespace baton::web
