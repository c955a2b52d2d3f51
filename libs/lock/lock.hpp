#pragma once
// baton::lock: leases and distributed locks over a database, each statement safe whenever it executes.

#include "libs/lock/guard_store.hpp"
#include "libs/lock/lease_store.hpp"
