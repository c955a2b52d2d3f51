#include "trigger/clients/registry.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/http/message.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration pace = 1s;
constexpr duration longest_gap =
    3 * pace; // between two answers of the database without which no client counts as silent
// Rows are not committed in the order of changed_at: rows younger than this are read again.
constexpr duration overlap = 5s;
// A gone instance cannot come back: nodes remember it, and its row is kept for longer than that.
constexpr duration remember_gone = 20min;
constexpr duration keep_gone = 1h;
constexpr duration purge_every = 10min;

void check(protocol::register_request const& request)
{
    auto const require = [](bool holds, char const* field, char const* why) {
        if (!holds)
            throw invalid_input(field, std::string(field) + " " + why);
    };
    require(!request.service.empty() && request.service.size() <= 100, "service", "must have 1 to 100 bytes");
    require(!request.instance.empty() && request.instance.size() <= 128, "instance", "must have 1 to 128 bytes");
    for (auto const c : request.instance)
        require(c > 0x20 && c < 0x7f, "instance", "must be printable ASCII");
    require(request.address.size() <= 255, "address", "must have at most 255 bytes");
    http::parse_url(request.address);
    require(request.secret.size() >= 16 && request.secret.size() <= 64, "secret", "must have 16 to 64 characters");
    require(!request.handlers.empty() && request.handlers.size() <= 10'000, "handlers",
            "must name 1 to 10000 handlers");
    for (auto const c : request.secret) // every call to the client carries the secret in a header
        require(c > 0x20 && c < 0x7f, "secret", "must be printable ASCII without spaces");
    for (auto const& handler : request.handlers)
        require(!handler.empty() && handler.size() <= 150, "handlers", "must have names of 1 to 150 bytes");
    require(request.slots >= 1 && request.slots <= 100'000, "slots", "must be from 1 to 100000");
    require(request.queue >= 0 && request.queue <= 1'000'000, "queue", "must be from 0 to 1000000");
    require(request.version.size() <= 40, "version", "must have at most 40 bytes");
    for (unsigned char const c : request.service + request.version) // people read them, in logs and tables
        require(c >= 0x20 && c != 0x7f, "service", "and version must not contain control characters");
}

} // namespace

registry::registry(client_settings settings, std::string self, storage::database& shared, time_source& time,
                   asio::any_io_executor loop)
    : settings_(settings), self_(std::move(self)), table_(shared), time_(time), bell_(std::move(loop))
{}

awaitable<void> registry::run()
{
    for (;;) {
        try {
            if (!unchanged())
                co_await refresh();
            co_await write_departures();
            co_await bury_silent();
            co_await forget_the_long_gone();
        } catch (unavailable const& reason) {
            log::warn("clients", "a round on the table of clients failed, trying again in 1 s",
                      {log::reason(reason.what())});
        }
        co_await bell_.wait_until(time_, time_.now() + pace);
    }
}

// A note that nothing has changed is good for the time that the next note may take.
bool registry::unchanged() const
{
    return quiet_ && time_.now() - read_at_ < longest_gap;
}

void registry::note(utc_time last_change, utc_time now, instant asked)
{
    bool const was_quiet = std::exchange(quiet_, loaded_ && last_change < read_until_ - overlap && now >= read_until_);
    if (quiet_)
        read_at_ = std::max(read_at_, asked);
    else if (was_quiet)
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

awaitable<void> registry::refresh()
{
    auto const asked = time_.now();
    storage::clients::page page;
    if (loaded_)
        page = co_await table_.changed_since(read_until_ - overlap);
    else
        page = co_await table_.all();
    note_answer();
    loaded_ = true;
    read_until_ = page.now;
    read_at_ = asked;
    for (auto& row : page.clients)
        apply(std::move(row));
}

awaitable<void> registry::forget_the_long_gone()
{
    std::erase_if(buried_, [&](auto const& entry) { return time_.now() - entry.second > remember_gone; });
    if (time_.now() - purged_at_ > purge_every) {
        purged_at_ = time_.now();
        co_await table_.purge(keep_gone);
    }
}

void registry::apply(storage::client_record row)
{
    if (row.state == storage::client_state::gone)
        return forget(row.instance);
    if (buried_.contains(row.instance))
        return;
    // A client may have registered with two nodes at once. The node that the row names watches it, even without a
    // heartbeat.
    if (row.node == self_)
        heard_.try_emplace(row.instance, time_.now());
    else
        heard_.erase(row.instance);
    auto& known = clients_[row.instance];
    if (auto const before = services_.find(known.row.service);
        before != services_.end() && before->first != row.service)
        before->second.erase(row.instance); // it has registered again for another service
    bool const news = known.row.changed_at != row.changed_at;
    known.handlers = {row.handlers.begin(), row.handlers.end()};
    services_[row.service].insert(row.instance);
    known.row = std::move(row);
    if (news && changed_)
        changed_();
}

void registry::forget(std::string const& instance)
{
    buried_.emplace(instance, time_.now());
    heard_.erase(instance);
    auto const found = clients_.find(instance);
    if (found == clients_.end())
        return;
    log::info("clients", "a client is gone", {{"client", instance}, {"service", found->second.row.service}});
    services_[found->second.row.service].erase(instance);
    clients_.erase(found);
    if (gone_)
        gone_(instance);
}

awaitable<bool> registry::join(protocol::register_request request)
{
    check(request);
    if (buried_.contains(request.instance))
        co_return false;
    // A client that registers is alive, even if the database does not answer.
    if (auto const heard = heard_.find(request.instance); heard != heard_.end())
        heard->second = time_.now();
    storage::client_record row;
    row.instance = request.instance;
    row.service = request.service;
    row.address = request.address;
    row.secret = request.secret;
    row.handlers = request.handlers;
    row.slots = request.slots;
    row.queue = request.queue;
    row.version = request.version;
    row.node = self_;
    bool const kept = co_await table_.put(row);
    if (!kept || buried_.contains(row.instance)) {
        // Only if the caller has the secret: otherwise a live client has the same name.
        if (auto const* known = find(row.instance); known != nullptr && known->row.secret == row.secret)
            forget(row.instance);
        co_return false;
    }
    row.joined_at = row.changed_at = time_.utc();
    heard_[row.instance] = time_.now();
    log::info("clients", "a client joined",
              {{"client", row.instance},
               {"service", row.service},
               {"handlers", row.handlers.size()},
               {"address", row.address}});
    apply(std::move(row));
    co_return true;
}

awaitable<bool> registry::beat(protocol::heartbeat_request request)
{
    auto const* known = find(request.instance);
    if (known == nullptr)
        co_return false;
    auto const wanted = request.draining ? storage::client_state::draining : storage::client_state::up;
    bool const ours = known->row.node == self_;
    if (ours)
        heard_[request.instance] = time_.now();
    if (!ours || known->row.state != wanted) {
        auto row = known->row;
        row.node = self_;
        row.state = wanted;
        bool const kept = co_await table_.put(row);
        row.changed_at = time_.utc();
        if (!kept)
            forget(request.instance);
        if (find(request.instance) == nullptr) // it left meanwhile
            co_return false;
        heard_[request.instance] = time_.now();
        apply(std::move(row));
    }
    co_return true;
}

awaitable<void> registry::leave(std::string instance)
{
    auto const* known = find(instance);
    if (known == nullptr)
        co_return;
    auto row = known->row;
    row.node = self_;
    row.state = storage::client_state::gone;
    forget(instance); // before the write: from now on this node sends nothing
    if (departure_)
        departure_(instance);
    left_.emplace(instance, row);
    co_await table_.put(row);
    left_.erase(instance);
}

// Writes departures that the database could not take: readers of the row wait for them.
awaitable<void> registry::write_departures()
{
    auto const waiting = left_;
    for (auto const& [instance, row] : waiting) {
        co_await table_.put(row);
        left_.erase(instance);
    }
}

void registry::departed(std::string const& instance)
{
    forget(instance);
}

awaitable<void> registry::bury_silent()
{
    auto const now = time_.now();
    if (now < silent_from_)
        co_return;
    if (now - answered_at_ > longest_gap) // this node stood still: the next round notes it
        co_return;
    std::vector<std::string> silent;
    auto next = now + settings_.ttl();
    for (auto const& [instance, at] : heard_) {
        auto const until = std::max(at, listening_since_) + settings_.ttl();
        if (now > until)
            silent.push_back(instance);
        else
            next = std::min(next, until);
    }
    for (auto const& instance : silent) {
        auto const mine = co_await table_.set_state(instance, self_, storage::client_state::gone);
        if (!mine) { // another node has adopted it
            heard_.erase(instance);
            continue;
        }
        log::warn("clients", "a client was silent for its ttl, it counts as gone",
                  {{"client", instance}, {"ms", settings_.ttl() / 1ms}});
        forget(instance);
        if (departure_)
            departure_(instance);
    }
    silent_from_ = next;
}

awaitable<void> registry::bury_heard_by(std::string node)
{
    auto const buried = co_await table_.bury_heard_by(node);
    for (auto const& instance : buried) {
        forget(instance);
        if (departure_)
            departure_(instance);
    }
}

known_client* registry::find(std::string const& instance)
{
    auto const found = clients_.find(instance);
    return found == clients_.end() ? nullptr : &found->second;
}

std::vector<known_client*> registry::of_service(std::string const& service)
{
    std::vector<known_client*> all;
    if (auto const found = services_.find(service); found != services_.end())
        for (auto const& instance : found->second)
            all.push_back(&clients_.at(instance));
    return all;
}

} // namespace baton::trigger
