#include "trigger/master/paused_services.hpp"

#include "libs/base/log.hpp"

#include <boost/asio/post.hpp>

namespace baton::trigger {

namespace {

constexpr duration look_at_pauses = 1s;         // at the ledger, besides the signals
constexpr std::size_t released_at_once = 5'000; // executions released in one step of the loop

// A firing that no client has seen. A fixed delay counts from the end of a run, so it has nothing to catch up with.
bool is_unsent_firing(open_execution const& one)
{
    bool const delayed = one.task->definition.schedule.kind == protocol::schedule_kind::fixed_delay;
    return one.scheduled && !one.begun && !delayed;
}

// The instant that a pause which skips firings must cover. A task after another one is due when it starts, whenever its
// parent was due.
utc_time instant_of(open_execution const& one)
{
    bool const follows = one.task->definition.schedule.kind == protocol::schedule_kind::after;
    return follows ? one.since_due : one.scheduled_at;
}

} // namespace

awaitable<void> paused_services::read()
{
    auto const asked = scope_.term.time.now();
    auto const all = co_await scope_.ledger.pauses(remembered);
    learn(all, asked);
}

void paused_services::learn(std::vector<protocol::pause> const& all, instant asked)
{
    if (asked < asked_)
        return;
    asked_ = asked;
    book_ = pause_book(all);
    std::vector<protocol::service_key> ended;
    for (auto const& [service, ids] : kept_)
        if (book_.in_force(service) == nullptr)
            ended.push_back(service);
    for (auto const& service : ended)
        resume(service);
}

void paused_services::resume(protocol::service_key const& service)
{
    auto const kept = kept_.find(service);
    log::info("pauses", "a pause has ended, the executions that it held back are due now",
              {{"service", to_text(service)}, {"executions", kept->second.size()}});
    to_release_.insert(to_release_.end(), kept->second.begin(), kept->second.end());
    kept_.erase(kept);
    bell_.wake();
    if (resumed_)
        resumed_(service);
}

bool paused_services::keep(open_execution& one)
{
    if (book_.empty() || scope_.open.is_forced(one))
        return false;
    auto const service = protocol::service_of(one.task->definition);
    if (auto const* skip = book_.skips(service, instant_of(one)); skip != nullptr && is_unsent_firing(one)) {
        next_.skip(one, to_text(*skip));
        return true;
    }
    if (!blocks(service))
        return false;
    kept_.find(service)->second.push_back(one.id);
    return true;
}

bool paused_services::blocks(protocol::service_view service)
{
    if (book_.empty() || book_.in_force(service) == nullptr)
        return false;
    protocol::value_of(kept_, service); // so that its end is told
    return true;
}

awaitable<void> paused_services::run()
{
    co_await both(watch(), release());
}

awaitable<void> paused_services::watch()
{
    auto const step = [this] { return read(); };
    co_await every("reading the pauses", scope_.term.time, look_at_pauses, step);
}

awaitable<void> paused_services::release()
{
    for (;;) {
        for (std::size_t i = 0; i < released_at_once && !to_release_.empty(); ++i) {
            auto* one = scope_.open.find(to_release_.front());
            to_release_.pop_front();
            if (one != nullptr && one->phase == phase::waiting)
                scope_.open.wait(*one, scope_.term.clock.now());
        }
        scope_.due_changed.wake();
        if (to_release_.empty())
            co_await bell_.wait();
        else
            co_await asio::post(scope_.loop, asio::use_awaitable);
    }
}

} // namespace baton::trigger
