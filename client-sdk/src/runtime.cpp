#include "client-sdk/src/runtime.hpp"

#include "libs/base/log.hpp"
#include "libs/protocol/revision.hpp"

#include <algorithm>

namespace baton::client {

namespace {

constexpr duration forget_every = 1min; // the longest interval at which the engine forgets old executions

link_settings complete(runtime_settings const& settings)
{
    auto link = settings.link;
    link.identity.revision = protocol::wire_revision;
    link.identity.handlers.assign(settings.handlers.begin(), settings.handlers.end());
    link.identity.slots = settings.limits.slots;
    link.identity.queue = settings.limits.queue;
    return link;
}

} // namespace

runtime::runtime(asio::any_io_executor loop, runtime_parts parts, runtime_settings settings)
    : parts_(parts),
      engine_(settings.limits, settings.handlers),
      routes_(engine_, parts.time, {settings.link.identity.instance, settings.link.identity.secret},
              [this] { pump(); }),
      calls_({parts.time, parts.random, parts.http}, settings.link),
      registration_(loop, calls_, engine_, complete(settings),
                    {[this] {
                         sender_.home_answers();
                         pump();
                     },
                     [this](protocol::register_request const& self) {
                         routes_.become({self.instance, self.secret});
                     },
                     [this](std::int64_t generation) {
                         routes_.registered(generation);
                         fetcher_.registered();
                     },
                     [this] { fetcher_.told(); }}),
      fetches_(settings.link.identity.delivery == protocol::delivery_way::fetch),
      fetcher_(loop, calls_, registration_, routes_),
      sender_(loop, calls_, engine_, registration_, [this] { drain_bell_.wake(); }),
      pump_bell_(loop),
      timer_bell_(loop),
      drain_bell_(loop)
{}

http::handler runtime::handler()
{
    return [this](http::request const& message) { return routes_.handle(message); };
}

http::admitter runtime::admitter()
{
    return [this](http::request const& head) { return routes_.admit(head); };
}

void runtime::pump()
{
    auto first = instant::max();
    for (auto& work : engine_.start_ready(read(parts_.time))) {
        auto const execution = work->work.execution;
        first = std::min(first, engine_.tick_of(execution));
        parts_.handlers.start(std::move(work), [this, execution](outcome what) {
            engine_.finish(execution, std::move(what));
            pump_bell_.wake();
        });
    }
    if (first < tick_at_)
        timer_bell_.wake();
    sender_.wake();
    drain_bell_.wake();
}

awaitable<void> runtime::run()
{
    using namespace asio::experimental::awaitable_operators;
    co_await (supervised("client heartbeats", registration_.beat()) ||
              supervised("client's watch of its home", registration_.watch()) ||
              supervised("client fetches", fetch()) || supervised("client reports", sender_.run()) ||
              supervised("client timers", keep_time()) || supervised("client handlers", follow_handlers()));
}

awaitable<void> runtime::fetch()
{
    if (fetches_)
        co_await fetcher_.run();
    co_await fetcher_.run_when_told();
}

// Reports all handlers that have ended by the time of a wake-up.
awaitable<void> runtime::follow_handlers()
{
    for (;;) {
        co_await pump_bell_.wait();
        pump();
    }
}

awaitable<void> runtime::keep_time()
{
    for (;;) {
        auto const now = parts_.time.now();
        engine_.tick(now);
        if (engine_.has_notes())
            sender_.wake();
        tick_at_ = std::min(engine_.next_tick().value_or(instant::max()), now + forget_every);
        co_await timer_bell_.wait_until(parts_.time, tick_at_);
    }
}

awaitable<void> runtime::drain(duration grace, duration stop_ahead)
{
    auto const end = parts_.time.now() + grace;
    engine_.drain();
    registration_.beat_now();
    co_await wait_idle(end - (stop_ahead > 0s ? stop_ahead : std::min<duration>(grace / 4, 5s)));
    if (!engine_.idle()) {
        log::warn("client", "handlers still run near the end of the grace, asking them to stop");
        engine_.stop_running();
        co_await wait_idle(end - std::min<duration>(grace / 8, 2s));
    }
    if (!engine_.idle())
        log::warn("client", "executions did not end within the grace, leaving them to the nodes as in doubt");
    co_await wait_recorded(end - std::min<duration>(grace / 16, 1s));
    if (auto const lost = engine_.results().size(); lost > 0)
        log::warn("client", "no node has acknowledged the last results, the nodes settle them as in doubt",
                  {{"results", lost}});
    co_await registration_.leave(end);
}

awaitable<void> runtime::wait_idle(instant until)
{
    while (!engine_.idle() && parts_.time.now() < until)
        co_await drain_bell_.wait_until(parts_.time, until);
}

awaitable<void> runtime::wait_recorded(instant until)
{
    while (engine_.results().size() > 0 && parts_.time.now() < until)
        co_await drain_bell_.wait_until(parts_.time, until);
}

} // namespace baton::client
