#include "trigger/node.hpp"

#include "libs/base/log.hpp"
#include "trigger/node_parts.hpp"

namespace baton::trigger {

// How the parts run and end.

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr duration between_stamps = 100ms;

} // namespace

awaitable<bool> node::parts::ready()
{
    if (stopping.stopping() || !stopping.has_joined())
        co_return false;
    co_await ledger.now(); // throws unavailable if the database does not answer
    co_return true;
}

awaitable<void> node::parts::run()
{
    co_await background.around(run_parts());
    log::info("node", "stopped");
}

// The failure of a part ends the node. A node without its collector, for example, would look alive and lose time.
awaitable<void> node::parts::run_parts()
{
    co_await (supervised("the clean stop", stopping.run()) || supervised("the membership", join_and_work()));
    if (!stopping.stopping())
        throw std::runtime_error("a part of this node has failed");
}

awaitable<void> node::parts::join_and_work()
{
    co_await nodes.await_one_release();
    stopping.joined();
    co_await (
        supervised("the election", run_election()) || supervised("the stamp of progress", stamp_progress()) ||
        supervised("the roster of nodes", nodes.run()) || supervised("the stand-in of the heartbeat", run_standin()) ||
        supervised("the list of clients", clients.run()) || supervised("the rows of clients", clients.write_rows()) ||
        supervised("the schemas of handlers", clients.write_schemas()) ||
        supervised("the homes of clients", watches.run()) || supervised("the reports to the master", report.run()) ||
        supervised("the contact with the master", contact.run()) ||
        supervised("the delivery to clients", deliveries.run()) ||
        supervised("the rows of which clients can be reached", reach.run()) ||
        supervised("the commits of results", results.run()));
}

awaitable<void> node::parts::run_standin()
{
    std::function<awaitable<void>()> const part = [this] { return standin.run(); };
    co_await on_election(part);
}

awaitable<void> node::parts::on_election(std::function<awaitable<void>()> part)
{
    co_await run_on(world.electing, here, std::move(part));
}

// For the election, which gives up a term if this loop stands still.
awaitable<void> node::parts::stamp_progress()
{
    for (;;) {
        progress.fetch_add(1, std::memory_order_relaxed);
        co_await world.time.sleep_for(between_stamps);
    }
}

awaitable<void> node::parts::run_election()
{
    auto const duty = [this](std::int64_t epoch) { return terms.run(epoch); };
    co_await election.run(duty);
    stopping.election_ended();
    waker never(loop);
    co_await never.wait(); // the other parts go on until the clean stop is done
}

node::node(loop_ref working, settings settings, world world)
{
    require_valid(settings);
    parts_ = std::make_unique<parts>(std::move(working), std::move(settings), std::move(world));
}

node::~node() = default;

void node::share_receipts(std::string const& secret)
{
    parts_->issued.share(secret);
}

http::handler node::routes()
{
    return parts_->make_routes();
}

awaitable<void> node::run()
{
    co_await parts_->run();
}

void node::stop()
{
    parts_->stopping.request();
}

bool node::leading() const
{
    return parts_->election.state().at(parts_->world.time.now()) == standing::active;
}

std::size_t node::clients() const
{
    return parts_->clients.size();
}

std::int64_t node::epoch() const
{
    return parts_->epochs.value();
}

} // namespace baton::trigger
