#include "libs/lease/lease_store.hpp"
#include "trigger/election/epoch.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace epoch_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr std::int64_t noon_ms = 1'700'000'000'000;
constexpr auto most = std::numeric_limits<std::int64_t>::max();

lease::lease_row row_with(std::int64_t epoch, std::int64_t utc_ms = noon_ms)
{
    lease::lease_row row;
    row.epoch = epoch;
    row.utc = from_micros(utc_ms * 1'000);
    return row;
}

} // namespace

TEST_CASE("a counted epoch is one more than the row's, regardless of the time and of known epochs")
{
    CHECK(next_epoch(epoch_rule::counted, row_with(7), 0) == 8);
    CHECK(next_epoch(epoch_rule::counted, row_with(7), 1'000) == 8);
    CHECK(next_epoch(epoch_rule::counted, row_with(noon_ms), 0) == noon_ms + 1);
}

TEST_CASE("a hybrid epoch is at least the database's milliseconds, and above the row's epoch and every known epoch")
{
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7), 0) == noon_ms);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7), 9) == noon_ms);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(noon_ms - 1), 0) == noon_ms);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(noon_ms), 0) == noon_ms + 1);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(noon_ms + 5), noon_ms + 2) == noon_ms + 6);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7), noon_ms + 5) == noon_ms + 6);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7, 0), 0) == 8);          // a clock that was never set
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7, -noon_ms), 20) == 21); // or set to long ago
}

TEST_CASE("under the hybrid rule, a database that lost the last seizures does not reuse their epochs")
{
    auto const before = row_with(7);
    auto const lost = next_epoch(epoch_rule::hybrid, before, 0);
    auto const later = row_with(7, noon_ms + 1); // the same row, a millisecond later
    CHECK(next_epoch(epoch_rule::hybrid, later, 0) > lost);
    CHECK(next_epoch(epoch_rule::counted, later, 0) == next_epoch(epoch_rule::counted, before, 0));
    auto const set_back = row_with(7, noon_ms - 3'600'000); // its clock went back too: what was heard still counts
    CHECK(next_epoch(epoch_rule::hybrid, set_back, lost) > lost);
}

TEST_CASE("an epoch never wraps around, even after the highest number")
{
    CHECK(next_epoch(epoch_rule::hybrid, row_with(7), most) == most);
    CHECK(next_epoch(epoch_rule::hybrid, row_with(most), 0) == most); // which no seizure can raise
    CHECK(next_epoch(epoch_rule::counted, row_with(most), 0) == most);
}

TEST_CASE("an epoch rule is parsed from its name only")
{
    for (auto const rule : {epoch_rule::counted, epoch_rule::hybrid})
        CHECK(parse_epoch_rule(to_string(rule)) == rule);
    CHECK_FALSE(parse_epoch_rule("Hybrid"));
    CHECK_FALSE(parse_epoch_rule(""));
}

} // namespace epoch_test
