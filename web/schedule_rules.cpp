#include "web/schedule_rules.hpp"

#include "libs/schedule/task_schedule.hpp"

namespace baton::web {

storage::schedule_rules make_schedule_rules()
{
    return {schedule::first_firing, schedule::firings};
}

} // namespace baton::web
