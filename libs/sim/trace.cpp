#include "libs/sim/trace.hpp"

#include <cstdio>

namespace baton::sim {

namespace {
constexpr std::size_t kept = 400; // lines
}

void trace::note(std::string_view event)
{
    auto const at = time_.now().time_since_epoch().count();
    char when[32];
    std::snprintf(when, sizeof when, "%10lld.%06lld ", static_cast<long long>(at / 1'000'000),
                  static_cast<long long>(at % 1'000'000));
    std::string line(when);
    line += event;
    hash_.add(line);
    ++count_;
    last_.push_back(std::move(line));
    if (last_.size() > kept)
        last_.pop_front();
}

std::string trace::tail() const
{
    std::string text;
    for (auto const& line : last_)
        text += line + "\n";
    return text;
}

} // namespace baton::sim
