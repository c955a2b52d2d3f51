#include "trigger/election/succession.hpp"

#include <algorithm>

namespace baton::trigger {

std::string_view to_string(succession::way how)
{
    switch (how) {
    case succession::way::free:
        return "free";
    case succession::way::expired:
        return "expired";
    case succession::way::guard:
        break;
    }
    return "guard";
}

succession succession_to(lease::lease_row const& row, instant read_at)
{
    succession by;
    by.how = row.owner ? succession::way::expired : succession::way::free;
    // Negative after the database's clock stepped back.
    by.led_until = row.dated ? read_at - std::max(row.age, duration{}) : instant{};
    by.first = row.epoch == 1;
    by.replaced = row.owner.value_or("");
    return by;
}

succession succession_of_term_found(lease::lease_row const& row)
{
    succession by;
    by.how = row.guard_conn != 0 ? succession::way::guard : succession::way::expired;
    return by;
}

} // namespace baton::trigger
