#pragma once
// baton::lock: leases and distributed locks over a database, each statement safe whenever it executes.

#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
