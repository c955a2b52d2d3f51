#pragma once

#include "libs/base/loop.hpp"
#include "trigger/master/term.hpp"

#include <functional>

namespace baton::trigger {

// Runs a step of a part of the term until it returns, for steps that others wait for. After an exception it runs again,
// with pauses that grow up to 30 s; each cause is logged once with `name`. The loss of the fence and a cancellation
// pass through.
awaitable<void> until_done(term& of, char const* name, std::function<awaitable<void>()> step);

} // namespace baton::trigger
