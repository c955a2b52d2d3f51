#include "cli/firings.hpp"

#include "libs/base/printable.hpp"

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

namespace {

std::string clock_text(nlohmann::json const& firing)
{
    auto const effect = firing.value("clock", nlohmann::json());
    if (effect == "moved")
        return " (the clock skips the time that the schedule names)";
    if (effect == "first_of_two")
        return " (the clock shows this time twice: the first)";
    return effect == "second_of_two" ? " (the clock shows this time twice: the second)" : "";
}

std::string left_out_text(nlohmann::json const& times)
{
    if (!times.is_object())
        return {};
    std::string names;
    for (auto const& name : times.value("calendars", nlohmann::json::array()))
        names += (names.empty() ? "" : ", ") + printable(name.get<std::string>());
    bool const one = times.value("count", 0) == 1 && !times.value("more", false);
    return " (" + cell(times, "count") + (times.value("more", false) ? " and more" : "") +
           (one ? " time before it is left out by " : " times before it are left out by ") + names + ")";
}

} // namespace

std::string preview_text(nlohmann::json const& firing, std::string const& zone, times const& at)
{
    auto text = firing_text(firing, zone, at);
    if (firing.value("due_at", nlohmann::json()).is_string() && firing.at("due_at") != firing.at("at"))
        text += ", due " + at.cell(firing, "due_at");
    return text + clock_text(firing) + left_out_text(firing.value("left_out", nlohmann::json()));
}

} // namespace baton::cli
