#include "trigger/clients/registry.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/protocol/offers.hpp"
#include "trigger/clients/register_check.hpp"

#include <algorithm>
#include <tuple>

namespace baton::trigger {

namespace {

constexpr duration between_rounds = 1s;
constexpr std::size_t page_size = 2'000; // changes read at a time
constexpr int drains_at_once = 50;       // in a round; the heartbeats of the others tell as well

write_limits limits_of(client_settings const& settings)
{
    write_limits limits;
    limits.longest_wait = std::clamp<duration>(settings.heartbeat / 2, 500ms, 3s); // clients do not wait for longer
    return limits;
}

storage::client_record make_record(protocol::register_request const& request, std::string const& home)
{
    storage::client_record row;
    row.instance = request.instance;
    row.project = request.project;
    row.service = request.service;
    row.address = request.address;
    row.secret = request.secret;
    row.handlers = request.handlers;
    for (auto const& tag : request.tags)
        row.handlers.push_back(protocol::tag_offer(tag));
    row.slots = request.slots;
    row.queue = request.queue;
    row.text_ids = request.ids == protocol::id_form::text;
    row.version = request.version;
    row.generation = request.generation;
    row.node = home;
    return row;
}

// Every registration of a client has a number of its own.
bool repeats(protocol::register_request const& request, storage::client_record const& row)
{
    return request.generation == row.generation && request.secret == row.secret &&
           row.state == storage::client_state::up;
}

bool same_content(storage::client_record const& one, storage::client_record const& other)
{
    auto const content = [](storage::client_record const& row) {
        return std::tie(row.project, row.service, row.address, row.handlers, row.slots, row.queue, row.version,
                        row.text_ids);
    };
    return content(one) == content(other);
}

} // namespace

registry::registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
                   asio::any_io_executor loop)
    : settings_(settings),
      self_(std::move(self)),
      table_(shared),
      schemas_(shared),
      time_(time),
      writer_(
          limits_of(settings), [this](client_writer::group const& rows) { return table_.write(rows); }, time, loop),
      schema_writer_([this](std::vector<storage::schema_document> seen) { return schemas_.keep(std::move(seen)); },
                     time, loop),
      bell_(std::move(loop))
{}

awaitable<void> registry::run()
{
    for (;;) {
        try {
            if (!changes_.unchanged(time_.now()))
                co_await read_changes();
            co_await write_departures();
            co_await write_drains();
            co_await bury_hopeless();
            co_await bury_silent();
            co_await purge();
        } catch (unavailable const& reason) {
            log::outage(reason, "clients", "updating the table of clients failed, trying again in 1 s",
                        {log::reason(reason.what())});
        }
        co_await bell_.wait_until(time_, time_.now() + between_rounds);
    }
}

void registry::look_again()
{
    changes_.doubt();
    bell_.wake();
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
        std::vector<std::string> unknown;
        for (auto const& listed : page.clients)
            if (apply(listed, asked))
                unknown.push_back(listed.instance);
        if (!unknown.empty())
            co_await adopt(std::move(unknown));
    }
    changes_.was_read(*until, asked);
}

bool registry::apply(storage::client_listing const& listed, instant asked)
{
    auto const known = clients_.find(listed.instance);
    bool const here = known != clients_.end();
    if (here && known->second.written_at > asked)
        return false;
    if (listed.state == storage::client_state::gone) {
        if (here)
            forget(listed.instance);
        return false;
    }
    if (here && listed.node != self_)
        lose(listed.instance);
    else if (here)
        set_drained(listed.instance, known->second, listed.drained);
    return !here && listed.node == self_ && !is_gone(listed.instance);
}

// Their registrations were committed, and this node did not get the answer.
awaitable<void> registry::adopt(std::vector<std::string> instances)
{
    auto rows = co_await table_.find(std::move(instances));
    for (auto& row : rows)
        if (row.node == self_ && row.state != storage::client_state::gone && !hears(row.instance) &&
            !is_gone(row.instance)) {
            bool const drained = row.drained.has_value();
            keep(std::move(row), drained);
        }
}

void registry::set_drained(std::string const& instance, known_client& known, bool drained)
{
    if (std::exchange(known.drained, drained) == drained)
        return;
    log::info("clients",
              drained ? "a person drained a client, it is sent no new executions" : "a drained client is resumed",
              {{"client", instance}});
    if (changed_)
        changed_(instance);
}

void registry::keep(storage::client_record row, bool drained)
{
    auto const instance = row.instance;
    auto& known = clients_[instance];
    known.drained = drained;
    known.stopping = false;
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

awaitable<registry::joined> registry::join(protocol::register_request request, std::function<bool()> connected)
{
    check(request);
    if (is_gone(request.instance))
        co_return joined::gone;
    if (tell_hopeless(request))
        co_return joined::gone;
    // A client that registers is alive, even if the database does not answer.
    if (auto* known = find(request.instance); known != nullptr) {
        known->heard_at = time_.now();
        if (repeats(request, known->row))
            co_return same_content(make_record(request, self_), known->row) ? joined::here : joined::changed;
    }
    auto row = make_record(request, self_);
    row.schema_set = schema_writer_.announce(protocol::key_of(protocol::service_of(row)), std::move(request.schemas));
    storage::client_write change{storage::client_write::kind::put, row};
    auto const put = co_await writer_.write(std::move(change), std::move(connected));
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
    keep(std::move(row), put.drained);
    if (!put.node_before.empty() && put.node_before != self_ && adopted_)
        adopted_(instance, put.node_before);
    co_return joined::here;
}

awaitable<bool> registry::beat(protocol::heartbeat_request request)
{
    auto* known = find(request.instance);
    if (known == nullptr || known->row.generation != request.generation)
        co_return false; // only its home may hear a client
    if (to_bury_.contains(request.instance))
        co_return false; // it is to register, and learns then that it counts as gone
    auto const wanted = request.draining ? storage::client_state::draining : storage::client_state::up;
    known->heard_at = time_.now();
    if (request.clock_ms != 0)
        known->clock.take(time_.utc().time_since_epoch() / 1ms, request.clock_ms);
    if (known->row.state == wanted)
        co_return true;
    co_return co_await write_state(std::move(request.instance), request.generation, wanted);
}

// False if the client is not one of this node any more.
awaitable<bool> registry::write_state(std::string instance, std::int64_t generation, storage::client_state wanted)
{
    auto row = find(instance)->row;
    row.state = wanted;
    storage::client_write change{storage::client_write::kind::put, row};
    auto const put = co_await writer_.write(std::move(change), {});
    auto const* now = find(instance); // it may have left, or registered again
    bool const same = now != nullptr && now->row.generation == generation;
    if (same && put.overtaken)
        lose(instance);
    else if (same && !put.kept)
        forget(instance);
    if (!same || !put.kept)
        co_return false;
    row.changed_at = time_.utc();
    keep(std::move(row), put.drained);
    co_return true;
}

void registry::drains(std::string const& instance)
{
    auto* known = find(instance);
    if (known == nullptr || known->row.state != storage::client_state::up || std::exchange(known->stopping, true))
        return;
    to_drain_.insert(instance);
    bell_.wake();
    if (changed_)
        changed_(instance);
}

awaitable<void> registry::write_drains()
{
    for (int left = drains_at_once; left > 0 && !to_drain_.empty(); --left) {
        auto const instance = *to_drain_.begin();
        auto const* known = find(instance);
        if (known != nullptr && known->row.state == storage::client_state::up) {
            auto const generation = known->row.generation;
            co_await write_state(instance, generation, storage::client_state::draining);
        }
        to_drain_.erase(instance);
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

known_client* registry::find(std::string const& instance)
{
    auto const found = clients_.find(instance);
    return found == clients_.end() ? nullptr : &found->second;
}

} // namespace baton::trigger
