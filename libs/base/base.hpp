#pragma once
// baton::base: what every other folder stands on. Time, chance, identities, failures, loops, logging, and the few
// primitives for threads and processes. It knows nothing of tasks, HTTP or databases.

#include "libs/base/error.hpp"
#include "libs/base/id.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
