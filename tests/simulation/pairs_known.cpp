#include "tests/simulation/pairs_known.hpp"

namespace pairs_sim {

std::string explanation_of(facts const&, violation const&)
{
    return {};
}

} // namespace pairs_sim
