#pragma once
// baton::sim: a whole cluster in one thread, determined by one seed: virtual time, hosts that can be killed at any
// instant, and a database server and a network with the faults of real ones, behind the seams of the product. Only
// tests link it.

#include "libs/sim/database.hpp"
#include "libs/sim/host.hpp"
#include "libs/sim/lock_file.hpp"
#include "libs/sim/network.hpp"
#include "libs/sim/sqlite_file.hpp"
#include "libs/sim/stage.hpp"
#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"
