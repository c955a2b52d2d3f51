#include "trigger/election/known_epoch.hpp"

#include "libs/base/log.hpp"

namespace baton::trigger {

namespace {
constexpr int readings_of_proof = 2; // the first one may have begun before the claim
constexpr int alarm_again = 60;      // readings, which is about a minute
}

known_epoch::known_epoch(election_proxy& election, election_trace& trace, protocol::namespace_id name_space)
    : election_(election), trace_(trace), name_space_(name_space)
{}

void known_epoch::learn(std::int64_t epoch, std::string const& source)
{
    election_.superseded(epoch, source);
    if (epoch <= value_)
        return;
    value_ = epoch;
    if (raised_)
        raised_(epoch);
}

bool known_epoch::admit(std::int64_t epoch, std::string const& source)
{
    if (epoch < value_) {
        trace_.refuse(epoch, source);
        return false;
    }
    learn(epoch, source);
    return true;
}

void known_epoch::claimed_by_client(std::int64_t epoch)
{
    if (epoch <= value_)
        return;
    election_.look();
    if (epoch <= claimed_)
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
            log::info("election", "the lock row has reached the epoch that clients know", {{"epoch", epoch}});
        claimed_ = 0;
        alarmed_ = false;
        return;
    }
    ++readings_;
    if (readings_ % alarm_again != readings_of_proof)
        return;
    alarmed_ = true;
    log::error("election",
               "clients refuse this cluster's epoch: the database may have been restored from an older state; if so, "
               "run `baton migrate --raise-epoch` with the epoch that they know",
               {{"epoch", epoch}, {"known_to_clients", claimed_}});
}

} // namespace baton::trigger
