#include "trigger/clients/registry.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "trigger/clients/register_check.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration between_rounds = 1s;
constexpr duration longest_gap =
    3 * between_rounds;                  // between two answers of the database without which no client counts as silent
constexpr std::size_t page_size = 2'000; // changes read at a time
// A gone instance cannot come back: nodes remember it, and its row is kept for longer than that.
constexpr duration remember_gone = 20min;
constexpr duration keep_gone = 1h;
constexpr duration purge_every = 10min;

} // namespace

registry::registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
                   asio::any_io_executor loop)
    : settings_(settings), self_(std::move(self)), table_(shared), time_(time), bell_(std::move(loop))
{}

awaitable<void> registry::run()
{
    for (;;) {
        try {
            if (!changes_.unchanged(time_.now()))
                co_await read_changes();
            co_await write_departures();
            co_await bury_hopeless();
            co_await bury_silent();
            co_await purge();
        } catch (unavailable const& reason) {
            log::warn("clients", "a round on the table of clients failed, trying again in 1 s",
                      {log::reason(reason.what())});
        }
        co_await bell_.wait_until(time_, time_.now() + between_rounds);
    }
}

void registry::note(utc_time last_change, utc_time now, instant asked)
{
    if (changes_.note(last_change, now, asked))
        bell_.wake();
    note_answer();
}

// A node that stood still received no heartbeats, and while the database was away no other node could adopt its
// clients. After either, every client has its whole ttl again.
void registry::note_answer()
{
    auto const now = time_.now();
    if (now - answered_at_ > longest_gap)
        listening_since_ = now;
    answered_at_ = now;
}

// The first reading finds nothing to apply, because no client can be registered with a new incarnation before.
awaitable<void> registry::read_changes()
{
    auto const asked = time_.now();
    auto since = changes_.begun() ? changes_.from() : utc_time::max();
    std::optional<utc_time> until;
    std::string after;
    for (bool more = true; more;) {
        auto page = co_await table_.changed_since(since, after, page_size);
        note_answer();
        until = until.value_or(page.now);
        more = page.clients.size() == page_size;
        if (more) {
            since = page.clients.back().changed_at;
            after = page.clients.back().instance;
        }
        for (auto& listed : page.clients)
            co_await apply(std::move(listed), asked);
    }
    changes_.was_read(*until, asked);
}

awaitable<void> registry::apply(storage::client_listing listed, instant asked)
{
    auto const known = clients_.find(listed.instance);
    bool const here = known != clients_.end();
    if (here && known->second.written_at > asked)
        co_return;
    if (listed.state == storage::client_state::gone) {
        if (here)
            forget(listed.instance);
        co_return;
    }
    if (here && listed.node != self_)
        lose(listed.instance);
    if (here || listed.node != self_ || is_gone(listed.instance))
        co_return;
    // A registration was committed, and this node did not get the answer.
    auto row = co_await table_.find(listed.instance);
    if (row && row->node == self_ && row->state != storage::client_state::gone && !hears(listed.instance) &&
        !is_gone(listed.instance))
        keep(std::move(*row));
}

void registry::keep(storage::client_record row)
{
    auto const instance = row.instance;
    auto& known = clients_[instance];
    known.handlers = {row.handlers.begin(), row.handlers.end()};
    known.row = std::move(row);
    known.heard_at = known.written_at = time_.now();
    if (changed_)
        changed_(instance);
}

void registry::lose(std::string const& instance)
{
    clients_.erase(instance);
    if (changed_)
        changed_(instance);
}

void registry::forget(std::string const& instance)
{
    buried_.emplace(instance, time_.now());
    auto const found = clients_.find(instance);
    if (found == clients_.end())
        return;
    log::info("clients", "a client is gone",
              {{"client", instance}, {"service", protocol::to_text(protocol::service_of(found->second.row))}});
    clients_.erase(found);
    if (gone_)
        gone_(instance);
}

void registry::report_gone(std::string const& instance)
{
    forget(instance);
    if (departure_)
        departure_(instance, self_);
}

awaitable<registry::joined> registry::join(protocol::register_request request)
{
    check(request);
    if (is_gone(request.instance))
        co_return joined::gone;
    // A client that registers is alive, even if the database does not answer.
    if (auto* known = find(request.instance); known != nullptr)
        known->heard_at = time_.now();
    storage::client_record row;
    row.instance = request.instance;
    row.project = request.project;
    row.service = request.service;
    row.address = request.address;
    row.secret = request.secret;
    row.handlers = request.handlers;
    row.slots = request.slots;
    row.queue = request.queue;
    row.version = request.version;
    row.generation = request.generation;
    row.node = self_;
    auto const put = co_await table_.put(row);
    if (put.overtaken)
        co_return joined::overtaken;
    if (!put.kept || is_gone(row.instance)) {
        // Only if the caller has the secret: otherwise a live client has the same name.
        if (auto const* known = find(row.instance); known != nullptr && known->row.secret == row.secret)
            forget(row.instance);
        co_return joined::gone;
    }
    if (auto const* known = find(row.instance); known != nullptr && known->row.generation > row.generation)
        co_return joined::overtaken; // while this one was written
    row.joined_at = row.changed_at = time_.utc();
    log::info("clients", "a client joined",
              {{"client", row.instance},
               {"service", protocol::to_text(protocol::service_of(row))},
               {"handlers", row.handlers.size()},
               {"address", row.address}});
    auto const instance = row.instance;
    keep(std::move(row));
    if (!put.node_before.empty() && put.node_before != self_ && adopted_)
        adopted_(instance, put.node_before);
    co_return joined::here;
}

awaitable<bool> registry::beat(protocol::heartbeat_request request)
{
    auto* known = find(request.instance);
    if (known == nullptr || known->row.generation != request.generation)
        co_return false; // only its home may hear a client
    auto const wanted = request.draining ? storage::client_state::draining : storage::client_state::up;
    known->heard_at = time_.now();
    if (known->row.state == wanted)
        co_return true;
    auto row = known->row;
    row.state = wanted;
    auto const put = co_await table_.put(row);
    auto const* now = find(request.instance); // it may have left, or registered again
    bool const same = now != nullptr && now->row.generation == request.generation;
    if (same && put.overtaken)
        lose(request.instance);
    else if (same && !put.kept)
        forget(request.instance);
    if (!same || !put.kept)
        co_return false;
    row.changed_at = time_.utc();
    keep(std::move(row));
    co_return true;
}

awaitable<void> registry::leave(protocol::leave_request request)
{
    storage::registered_client leaving{request.instance, request.generation};
    auto const instance = request.instance;
    auto const* known = find(instance);
    if (known != nullptr && known->row.generation > request.generation)
        co_return; // it has come back since
    if (known == nullptr) {
        auto const home = co_await table_.bury(std::move(leaving));
        if (home && departure_)
            departure_(instance, *home);
        co_return;
    }
    report_gone(instance); // before the write: from now on this node sends nothing
    left_.emplace(instance, request.generation);
    co_await table_.bury(std::move(leaving));
    left_.erase(instance);
}

// Writes departures that the database could not take: readers of the row wait for them.
awaitable<void> registry::write_departures()
{
    auto const waiting = left_;
    for (auto const& [instance, generation] : waiting) {
        storage::registered_client leaving{instance, generation};
        co_await table_.bury(std::move(leaving));
        left_.erase(instance);
    }
}

void registry::departed(std::string const& instance)
{
    if (hears(instance))
        forget(instance);
}

void registry::moved(std::string const& instance, std::string const& home, std::int64_t generation)
{
    auto const* known = find(instance);
    if (known != nullptr && home != self_ && generation > known->row.generation)
        lose(instance);
}

awaitable<void> registry::bury_silent()
{
    auto const now = time_.now();
    if (now < silent_from_)
        co_return;
    if (now - answered_at_ > longest_gap) // this node stood still: the next round notes it
        co_return;
    std::vector<storage::registered_client> silent;
    auto next = now + settings_.ttl();
    for (auto const& [instance, client] : clients_) {
        auto const until = std::max(client.heard_at, listening_since_) + settings_.ttl();
        if (now > until)
            silent.push_back({instance, client.row.generation});
        else
            next = std::min(next, until);
    }
    if (!silent.empty())
        co_await bury_those(std::move(silent), now);
    silent_from_ = next;
}

awaitable<void> registry::bury_those(std::vector<storage::registered_client> silent, instant now)
{
    auto const buried = co_await table_.bury(self_, silent);
    for (auto const& instance : buried) {
        log::warn("clients", "a client was silent for its ttl, it counts as gone",
                  {{"client", instance}, {"ms", settings_.ttl() / 1ms}});
        report_gone(instance);
    }
    for (auto const& [instance, generation] : silent) // those that another node has adopted
        if (auto const* known = find(instance);
            known != nullptr && known->written_at <= now && known->row.generation == generation)
            lose(instance);
}

void registry::bury(std::string const& instance, std::string const& why)
{
    to_bury_.emplace(instance, why);
    bell_.wake();
}

awaitable<void> registry::bury_hopeless()
{
    auto const all = to_bury_;
    if (all.empty())
        co_return;
    std::vector<storage::registered_client> hopeless;
    for (auto const& [instance, why] : all)
        if (auto const* known = find(instance))
            hopeless.push_back({instance, known->row.generation});
    auto const buried = co_await table_.bury(self_, std::move(hopeless));
    for (auto const& [instance, why] : all)
        to_bury_.erase(instance);
    for (auto const& instance : buried) {
        log::warn("clients", "a client is declared gone", {log::reason(all.at(instance)), {"client", instance}});
        report_gone(instance);
    }
}

awaitable<void> registry::purge()
{
    std::erase_if(buried_, [&](auto const& entry) { return time_.now() - entry.second > remember_gone; });
    if (time_.now() - purged_at_ > purge_every) {
        purged_at_ = time_.now();
        co_await table_.purge(keep_gone);
    }
}

known_client* registry::find(std::string const& instance)
{
    auto const found = clients_.find(instance);
    return found == clients_.end() ? nullptr : &found->second;
}

} // namespace baton::trigger
