#pragma once

#include "libs/storage/tasks.hpp"

namespace baton::web {

// The meaning of schedules (libs/schedule), in the form in which storage asks for it.
storage::schedule_rules make_schedule_rules();

} // namespace baton::web
