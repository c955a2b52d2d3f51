#include "libs/sim/session_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace baton::sim {

namespace {

using outcome = lock_wait::outcome;

constexpr std::size_t longest_name = 64; // in MySQL; MariaDB allows more

void check(std::string const& name)
{
    if (name.size() > longest_name)
        throw std::runtime_error("the name of the lock is too long: " + name);
}

} // namespace

session_handle session_table::open(host const& client, std::string host_name, duration idle_limit, instant now)
{
    auto const id = ++last_id_;
    server_session made{.id = id, .client_host = &client, .host_name = std::move(host_name), .idle_limit = idle_limit};
    made.silent_since = made.last_sent = now;
    return sessions_[id] = std::make_shared<server_session>(std::move(made));
}

void session_table::end(server_session& session)
{
    if (session.ended)
        return;
    session.ended = true;
    auto const self = sessions_.extract(session.id);
    if (auto const wait = session.waits)
        conclude(wait, outcome::session_ended);
    std::vector<std::string> held;
    for (auto const& [name, lock] : locks_)
        if (lock.owner == session.id)
            held.push_back(name);
    for (auto const& name : held)
        pass_on(name);
}

void session_table::end_all()
{
    auto const gone = std::exchange(sessions_, {});
    locks_.clear();
    last_id_ = 0;
    for (auto const& [id, session] : gone) {
        session->ended = true;
        if (auto const wait = session->waits)
            conclude(wait, outcome::session_ended);
    }
}

std::vector<session_handle> session_table::all() const
{
    std::vector<session_handle> found;
    for (auto const& [id, session] : sessions_)
        found.push_back(session);
    return found;
}

void session_table::begin(session_handle const& session, outcome answer)
{
    running_ = session;
    answer_ = answer;
    effects_ = {};
}

void session_table::begin_rehearsal(session_handle const& session)
{
    begin(session);
    rehearsal_ = true;
}

session_table::statement_effects session_table::finish()
{
    running_.reset();
    rehearsal_ = false;
    return std::exchange(effects_, {});
}

void session_table::queue(std::shared_ptr<lock_wait> const& wait)
{
    find(wait->session_id)->waits = wait;
    locks_[wait->name].queue.push_back(wait);
}

void session_table::conclude(std::shared_ptr<lock_wait> const& wait, outcome result)
{
    if (wait->result != outcome::waiting)
        return;
    wait->result = result;
    leave_queue(*wait);
    if (auto const found = sessions_.find(wait->session_id); found != sessions_.end())
        found->second->waits.reset();
    wait_over_(*wait);
}

void session_table::leave_queue(lock_wait const& wait)
{
    auto const found = locks_.find(wait.name);
    if (found != locks_.end())
        std::erase_if(found->second.queue, [&](auto const& one) { return one.get() == &wait; });
}

// Grants a released lock to the session that has waited longest.
void session_table::pass_on(std::string const& name)
{
    auto& lock = locks_.at(name);
    if (lock.queue.empty()) {
        locks_.erase(name);
        return;
    }
    auto const next = lock.queue.front();
    lock.owner = next->session_id;
    lock.count = 1;
    conclude(next, outcome::granted);
}

server_session& session_table::current()
{
    if (!running_)
        throw std::runtime_error("this query has no session");
    return *running_;
}

session_handle const& session_table::find(std::int64_t id)
{
    auto const found = sessions_.find(id);
    if (found == sessions_.end())
        throw std::runtime_error("Unknown thread id: " + std::to_string(id));
    return found->second;
}

session_table::number session_table::connection_id()
{
    return current().id;
}

session_table::number session_table::get_lock(std::string const& name, double seconds)
{
    check(name);
    auto const me = current().id;
    ++effects_.changes;
    if (rehearsal_)
        return 1;
    switch (std::exchange(answer_, outcome::waiting)) {
    case outcome::granted:
        return 1;
    case outcome::timed_out:
        return 0;
    case outcome::interrupted:
        return std::nullopt;
    default:
        break;
    }
    auto const found = locks_.find(name);
    if (found == locks_.end() || found->second.owner == me) {
        auto& lock = locks_[name];
        lock.owner = me;
        ++lock.count;
        return 1;
    }
    if (seconds == 0)
        return 0;
    --effects_.changes;
    auto const limit = duration{std::llround(std::min(seconds, 1e9) * 1e6)};
    effects_.wanted = std::make_shared<lock_wait>(lock_wait{.session_id = me, .name = name, .limit = limit});
    throw std::runtime_error("the lock is not free");
}

session_table::number session_table::release_lock(std::string const& name)
{
    check(name);
    auto const me = current().id;
    ++effects_.changes;
    if (rehearsal_)
        return 1;
    auto const found = locks_.find(name);
    if (found == locks_.end())
        return std::nullopt;
    if (found->second.owner != me)
        return 0;
    if (--found->second.count == 0)
        pass_on(name);
    return 1;
}

session_table::number session_table::lock_holder(std::string const& name)
{
    auto const found = locks_.find(name);
    if (found == locks_.end())
        return std::nullopt;
    return found->second.owner;
}

session_table::number session_table::kill_query(std::int64_t id)
{
    ++effects_.changes;
    if (rehearsal_)
        return 1;
    auto const& victim = find(id);
    if (auto const wait = victim->waits)
        conclude(wait, outcome::interrupted);
    else if (victim->busy)
        victim->interrupted = true;
    return 1;
}

session_table::number session_table::kill(std::int64_t id)
{
    ++effects_.changes;
    if (rehearsal_)
        return 1;
    auto const victim = find(id);
    end(*victim);
    return 1;
}

} // namespace baton::sim
