#pragma once

#include "tests/simulation/limits_facts.hpp"

#include <random>

namespace limits_sim {

// Tasks of all policies of concurrency, rates and priorities, and limits of services and a project, at random.
record draw_tasks(std::mt19937_64& chance);

} // namespace limits_sim
