#include "trigger/membership/heartbeat_standin.hpp"

namespace baton::trigger {

heartbeat_standin::heartbeat_standin(membership_settings settings, storage::database& database, time_source& time,
                                     validity& valid, std::function<bool()> may_beat)
    : settings_(settings), table_(database), time_(time), valid_(valid), may_beat_(std::move(may_beat))
{}

void heartbeat_standin::beaten(storage::node_record row, instant asked)
{
    row_ = std::move(row);
    last_ = std::max(last_, asked);
}

awaitable<void> heartbeat_standin::run()
{
    auto const step = [this]() -> awaitable<void> { co_await beat(); };
    co_await every("the heartbeat of this node during a long step", time_, settings_.heartbeat / 4, step);
}

awaitable<void> heartbeat_standin::beat()
{
    auto const asked = time_.now();
    bool const late = last_ != instant{} && asked - last_ > settings_.heartbeat * 3 / 2;
    if (!late || ended_ || !may_beat_())
        co_return;
    beating_ = true;
    std::shared_ptr<void> const at_end(nullptr, [this](auto) { beating_ = false; });
    auto const row = row_;
    co_await table_.beat(row);
    last_ = std::max(last_, asked);
    if (!ended_)
        valid_.renew(valid_until(settings_, asked), time_.now());
}

awaitable<void> heartbeat_standin::end()
{
    ended_ = true;
    while (beating_)
        co_await time_.sleep_for(5ms);
}

instant valid_until(membership_settings const& settings, instant asked)
{
    return asked + settings.ttl - settings.ttl / 1'000 - settings.heartbeat / 2;
}

} // namespace baton::trigger
