#include "tests/simulation/report.hpp"

namespace baton::simulation {

void blame(sim::trace& log, report& seen, int& count, std::string const& what)
{
    ++count;
    log.note(what);
    if (seen.tail.empty())
        seen.tail = log.tail();
}

} // namespace baton::simulation
