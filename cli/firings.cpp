#include "cli/firings.hpp"

namespace baton::cli {

std::string firing_text(nlohmann::json const& firing, std::string const& zone, times const& at)
{
    constexpr std::size_t to_the_second = 19;
    auto text = at.text(firing, "at");
    auto const local = time_cell(firing, "local");
    if (at.cell(firing, "at").substr(0, to_the_second) != local.substr(0, to_the_second))
        text += ", " + local.substr(0, to_the_second) + " in " + zone;
    return text + (firing.value("clock_changed", false) ? " (after a clock change)" : "");
}

} // namespace baton::cli
