#pragma once
// baton::base: the foundation of every other folder: time, randomness, ids, error types, event loops, logging, and
// the primitives for threads and processes. It knows nothing about tasks, HTTP or databases.

#include "libs/base/error.hpp"
#include "libs/base/id.hpp"
#include "libs/base/log.hpp"
#include "libs/base/loop.hpp"
#include "libs/base/loop_meter.hpp"
#include "libs/base/random.hpp"
#include "libs/base/time.hpp"
