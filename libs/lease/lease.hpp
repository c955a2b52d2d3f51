#pragma once
// baton::lease: the election's lease, a row that one node holds for a time, and the guard that shortens a take-over.
// Every statement carries its own conditions, so it is safe whenever it is executed.

#include "libs/lease/guard_store.hpp"
#include "libs/lease/lease_store.hpp"
