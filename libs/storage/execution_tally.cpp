#include "libs/storage/execution_counts.hpp"

#include <numeric>

namespace baton::storage {

std::int64_t tally::late() const
{
    return std::accumulate(lags.begin() + late_from, lags.end(), std::int64_t{0});
}

std::int64_t tally::started() const
{
    return std::accumulate(lags.begin(), lags.end(), std::int64_t{0});
}

std::optional<duration> tally::lag(double part) const
{
    auto const wanted = part * static_cast<double>(started());
    double before = 0;
    duration from{};
    for (std::size_t i = 0; i < lags.size(); ++i) {
        auto const here = static_cast<double>(lags[i]);
        auto const to = i < lag_bounds.size() ? lag_bounds[i] : 2 * lag_bounds.back();
        if (here > 0 && before + here >= wanted) {
            auto const width = static_cast<double>((to - from).count());
            return from + duration{static_cast<std::int64_t>(width * (wanted - before) / here)};
        }
        before += here;
        from = to;
    }
    return std::nullopt;
}

tally& tally::operator+=(tally const& other)
{
    fired += other.fired;
    succeeded += other.succeeded;
    failed += other.failed;
    cancelled += other.cancelled;
    skipped += other.skipped;
    open += other.open;
    for (std::size_t i = 0; i < lags.size(); ++i)
        lags[i] += other.lags[i];
    return *this;
}

} // namespace baton::storage
