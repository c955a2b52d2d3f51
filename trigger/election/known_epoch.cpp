#include "trigger/election/known_epoch.hpp"

#include "libs/base/log.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {
constexpr int readings_of_proof = 2;              // the first one may have begun before the claim
constexpr int alarm_again = 60;                   // readings, which is about a minute
constexpr duration proof_limit = 1s;              // less than the sender of a message waits for its answer
constexpr duration claim_holds = 10min;           // longer than a client that refuses is left alone
constexpr duration between_looks_at_epoch = 50ms; // a node of a database cluster may show the row late
} // namespace

known_epoch::known_epoch(election_proxy& election, election_trace& trace, time_source& time,
                         protocol::namespace_id name_space)
    : election_(election), trace_(trace), time_(time), name_space_(name_space)
{}

void known_epoch::learn(std::int64_t epoch, std::string const& source)
{
    election_.superseded(epoch, source);
    if (epoch <= value_)
        return;
    value_ = epoch;
    if (raised_)
        raised_(epoch);
    for (auto* const each : waiting_)
        each->wake();
}

awaitable<known_epoch::admission> known_epoch::admit(std::int64_t epoch, std::string source)
{
    if (epoch > value_) {
        struct waiting {
            std::unordered_set<waker*>& all;
            waker bell;
            waiting(std::unordered_set<waker*>& among, asio::any_io_executor loop) : all(among), bell(std::move(loop))
            {
                all.insert(&bell);
            }
            ~waiting() { all.erase(&bell); }
        };
        auto const loop = co_await asio::this_coro::executor;
        waiting mine(waiting_, loop);
        auto const until = time_.now() + proof_limit;
        while (epoch > value_ && time_.now() < until) {
            election_.look();
            co_await mine.bell.wait_until(time_, std::min(until, time_.now() + between_looks_at_epoch));
        }
    }
    if (epoch == value_)
        co_return admission::current;
    if (epoch > value_)
        co_return admission::unproved;
    trace_.refuse(epoch, source);
    co_return admission::old;
}

void known_epoch::claimed(std::int64_t epoch, std::string const& by)
{
    if (epoch <= value_)
        return;
    election_.look();
    if (epoch < claimed_)
        return;
    claimed_at_ = time_.now();
    claimed_by_ = by;
    if (epoch == claimed_)
        return;
    claimed_ = epoch;
    readings_ = 0;
}

void known_epoch::read_row(protocol::term_id term, bool held)
{
    if (!concerns(term)) {
        log::error("election", "the lock row is that of another namespace, its epoch is ignored",
                   {{"namespace", name_space_}, {"row", term.name_space}});
        return;
    }
    auto const epoch = term.epoch;
    if (held)
        learn(epoch, "the lock row");
    if (claimed_ == 0)
        return;
    if (claimed_ <= epoch) {
        if (alarmed_)
            log::info("election", "the lock row has reached the epoch that others know", {{"epoch", epoch}});
        claimed_ = 0;
        alarmed_ = false;
        return;
    }
    if (time_.now() - claimed_at_ > claim_holds)
        return forget_claim();
    ++readings_;
    if (readings_ % alarm_again != readings_of_proof)
        return;
    alarmed_ = true;
    log::error(
        "election",
        "clients or nodes refuse this cluster's epoch: the database may have been restored from an older state; if so, "
        "run `baton migrate --raise-epoch` with the epoch that they know",
        {{"epoch", epoch}, {"known_to_others", claimed_}, {"named_by", claimed_by_}});
}

// A restored database is refused again and again; a client that lied may be gone.
void known_epoch::forget_claim()
{
    if (alarmed_)
        log::info("election", "no client or node refuses this cluster's epoch any more",
                  {{"known_to_others", claimed_}});
    claimed_ = 0;
    alarmed_ = false;
}

} // namespace baton::trigger
