#include "locks/include/baton/lock/metrics.hpp"

#include <sstream>

namespace baton::lock {

namespace {

void counter(std::ostream& out, std::vector<kind_metrics> const& all, char const* name, char const* type,
             std::uint64_t kind_metrics::*value)
{
    out << "# TYPE baton_lock_" << name << ' ' << type << '\n';
    for (auto const& each : all)
        out << "baton_lock_" << name << "{kind=\"" << each.kind << "\"} " << each.*value << '\n';
}

void histogram(std::ostream& out, std::vector<kind_metrics> const& all)
{
    out << "# TYPE baton_lock_wait_seconds histogram\n";
    for (auto const& each : all) {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < each.waited.size(); ++i) {
            below += each.waited[i];
            out << "baton_lock_wait_seconds_bucket{kind=\"" << each.kind << "\",le=\"";
            i < wait_bounds_s.size() ? out << wait_bounds_s[i] : out << "+Inf";
            out << "\"} " << below << '\n';
        }
        out << "baton_lock_wait_seconds_sum{kind=\"" << each.kind << "\"} " << each.waited_s << '\n';
        out << "baton_lock_wait_seconds_count{kind=\"" << each.kind << "\"} " << below << '\n';
    }
}

} // namespace

std::string to_prometheus(std::vector<kind_metrics> const& all)
{
    std::ostringstream out;
    counter(out, all, "acquired_total", "counter", &kind_metrics::acquired);
    counter(out, all, "taken_over_total", "counter", &kind_metrics::taken_over);
    counter(out, all, "refused_total", "counter", &kind_metrics::refused);
    counter(out, all, "released_total", "counter", &kind_metrics::released);
    counter(out, all, "lost_total", "counter", &kind_metrics::lost);
    counter(out, all, "expired_total", "counter", &kind_metrics::expired);
    counter(out, all, "unknown_total", "counter", &kind_metrics::unknown);
    counter(out, all, "held", "gauge", &kind_metrics::held);
    histogram(out, all);
    return out.str();
}

} // namespace baton::lock
