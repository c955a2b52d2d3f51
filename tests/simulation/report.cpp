#include "tests/simulation/report.hpp"

namespace baton::simulation {

void record_violation(sim::trace& log, report& seen, int& count, std::string const& text)
{
    ++count;
    log.note(text);
    if (seen.tail.empty())
        seen.tail = log.tail();
}

} // namespace baton::simulation
