#include "trigger/election/known_epoch.hpp"

namespace baton::trigger {

known_epoch::known_epoch(elector& election, election_trace& trace) : election_(election), trace_(trace) {}

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
    if (epoch > value_)
        election_.look();
}

} // namespace baton::trigger
