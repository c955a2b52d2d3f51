#include "trigger/membership/membership.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/protocol/revision.hpp"
#include "trigger/membership/heartbeat_standin.hpp"

#include <algorithm>
#include <utility>

namespace baton::trigger {

membership::membership(membership_settings settings, storage::node_record self, storage::database& shared,
                       time_source& time, std::function<status()> describe)
    : settings_(settings), self_(std::move(self)), table_(shared), time_(time), describe_(std::move(describe))
{
    self_.ttl = settings_.ttl;
}

awaitable<void> membership::await_one_release()
{
    for (bool told = false;;) {
        bool alone = false;
        try {
            co_await refresh();
            alone = other_revision_.empty();
        } catch (unavailable const& reason) {
            log::outage(reason, "membership", "reading the roster failed, trying again after a heartbeat",
                        {log::reason(reason.what()), {"period_ms", settings_.heartbeat.count() / 1'000}});
            told = true;
        }
        if (alone)
            co_return;
        if (!std::exchange(told, true))
            log::error("membership", "this node joins the cluster when all nodes of another release have stopped");
        co_await time_.sleep_for(settings_.heartbeat);
    }
}

awaitable<void> membership::run()
{
    auto const step = [this]() -> awaitable<void> {
        co_await beat();
        co_await refresh();
    };
    co_await every("the heartbeat of this node", time_, settings_.heartbeat, step);
}

void membership::step_aside()
{
    auto const now = time_.now();
    if (now < aside_until_)
        return;
    aside_until_ = now + settings_.ttl + 3 * settings_.heartbeat; // the others see it at their next readings
    if (on_beat_)
        on_beat_(self_, aside_until_); // so that its stand-in is silent as well
}

void membership::step_back()
{
    aside_until_ = {};
}

awaitable<void> membership::beat()
{
    if (time_.now() < aside_until_)
        co_return;
    auto const now = describe_();
    self_.role = now.role;
    self_.load_permille = now.load_permille;
    self_.clients = now.clients;
    self_.health = now.health;
    auto const asked = time_.now();
    co_await table_.beat(self_);
    // Counted from before the request; the others count from the row's time, which is later.
    valid_.renew(valid_until(settings_, asked), time_.now());
    if (on_beat_)
        on_beat_(self_, asked);
}

awaitable<void> membership::refresh()
{
    auto const asked = time_.now();
    auto read = co_await table_.read();
    if (asked < asked_at_) // a later reading has overtaken this one
        co_return;
    read_ = std::move(read);
    read_at_ = time_.now();
    bool const regular = asked_at_ != instant{} && read_at_ - asked_at_ <= longest_gap();
    if (!regular)
        regular_since_ = read_at_;
    asked_at_ = asked;
    watch(regular);
    note_contacts();
    note_revisions();
    if (watcher_)
        watcher_(read_, asked);
}

void membership::watch(bool regular)
{
    std::map<std::string, watched> now;
    for (auto const& node : read_.nodes) {
        auto const before = watched_.find(node.incarnation);
        bool const same = regular && before != watched_.end() && before->second.heartbeat_at == node.heartbeat_at;
        now[node.incarnation] = {node.heartbeat_at, same ? before->second.since : read_at_};
    }
    watched_ = std::move(now);
}

void membership::note_contacts()
{
    contacts_.clear();
    for (auto const& node : read_.nodes)
        if (auto const told = contact_in(node.health); told != contact::steady)
            contacts_.emplace(node.incarnation, told);
}

// Once for each incarnation.
void membership::note_revisions()
{
    std::set<std::string> others;
    for (auto const& node : read_.nodes) {
        auto const wrong = protocol::revision_error("node " + node.name, node.revision);
        if (!wrong || !alive(node.incarnation))
            continue;
        others.insert(node.incarnation);
        if (!other_revision_.contains(node.incarnation))
            log::error("membership", "a node of another release is in the cluster, its messages are refused",
                       {log::reason(*wrong), {"node", node.incarnation}});
    }
    other_revision_ = std::move(others);
}

awaitable<void> membership::show()
{
    try {
        co_await beat();
    } catch (unavailable const& reason) {
        log::debug("membership", "writing this node's row failed, its next heartbeat writes it",
                   {log::reason(reason.what())});
    }
}

awaitable<void> membership::drain()
{
    self_.draining = true;
    co_await beat();
}

awaitable<void> membership::leave()
{
    valid_.end();
    if (before_leaving_)
        co_await before_leaving_();
    co_await table_.remove(self_.incarnation);
}

awaitable<void> membership::remove(std::string incarnation)
{
    co_await table_.remove(incarnation);
}

bool membership::valid() const
{
    return valid_.valid(time_.now());
}

storage::node_record const* membership::find(std::string const& incarnation) const
{
    auto const found =
        std::find_if(all().begin(), all().end(), [&](auto const& node) { return node.incarnation == incarnation; });
    return found == all().end() ? nullptr : &*found;
}

bool membership::alive(std::string const& incarnation) const
{
    auto const* node = find(incarnation);
    return node != nullptr && node->age + (time_.now() - read_at_) < node->ttl;
}

bool membership::has_peer() const
{
    return std::any_of(all().begin(), all().end(), [this](storage::node_record const& node) {
        return node.incarnation != self_.incarnation && !node.draining && alive(node.incarnation);
    });
}

contact membership::contact_of(std::string const& incarnation) const
{
    auto const found = contacts_.find(incarnation);
    return found == contacts_.end() ? contact::steady : found->second;
}

std::vector<storage::node_record const*> membership::takers() const
{
    std::vector<storage::node_record const*> found;
    for (auto const& node : all())
        if (node.incarnation != self_.incarnation && !node.draining && alive(node.incarnation) &&
            contact_of(node.incarnation) == contact::steady)
            found.push_back(&node);
    std::ranges::sort(found, {}, &storage::node_record::incarnation);
    return found;
}

bool membership::gone(std::string const& incarnation) const
{
    auto const* node = find(incarnation);
    return node == nullptr || silent_for(*node, node->ttl);
}

bool membership::replaced(std::string const& incarnation) const
{
    auto const* node = find(incarnation);
    return node != nullptr && std::ranges::any_of(all(), [&](storage::node_record const& other) {
               return other.address == node->address &&
                      other.heartbeat_at - node->heartbeat_at >= 3 * settings_.heartbeat;
           });
}

bool membership::silent_for(storage::node_record const& node, duration span) const
{
    auto const found = watched_.find(node.incarnation);
    // A row from the future belongs to a node that died before the clock was set back; a living node writes the new
    // time. If the clock was set back by less than a ttl, the row grows old as usual.
    bool const old = node.age >= span || node.age <= -span;
    return old && found != watched_.end() && asked_at_ - found->second.since >= span;
}

bool membership::regular_for(duration span) const
{
    return asked_at_ - regular_since_ >= span;
}

// The longest time from the request of one reading to the answer of the next that counts as no break; one round may
// fail. Such a gap hides no outage in which a living node's row reaches its ttl: the node beat at most one heartbeat
// before the gap, and beats at most one heartbeat after it.
duration membership::longest_gap() const
{
    return std::max(2 * settings_.heartbeat, settings_.ttl - 2 * settings_.heartbeat) + settings_.heartbeat / 4;
}

} // namespace baton::trigger
