#pragma once
// baton::sim: a cluster in one thread, from one seed. Virtual time, hosts that can be killed at any instant, a database
// server and a network as bad as the real ones, behind the seams of the product. Only tests link it.

#include "libs/sim/database.hpp"
#include "libs/sim/host.hpp"
#include "libs/sim/lock_file.hpp"
#include "libs/sim/network.hpp"
#include "libs/sim/sqlite_file.hpp"
#include "libs/sim/stage.hpp"
#include "libs/sim/trace.hpp"
#include "libs/sim/virtual_time.hpp"
