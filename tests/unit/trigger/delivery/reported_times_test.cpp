#include "libs/base/id.hpp"
#include "trigger/delivery/reported_times.hpp"

#include <catch2/catch.hpp>

#include <limits>

namespace reported_times_test {

using namespace baton;
using namespace baton::trigger;

namespace {

utc_time const created = from_rfc3339("2026-03-01T08:00:00Z");
utc_time const reported = created + 60s;
known_times const known{created, reported};

bool same(reported_times const& one, reported_times const& other)
{
    return one.started == other.started && one.finished == other.finished;
}

reported_times mended(duration started, duration finished)
{
    return plausible({created + started, created + finished}, known);
}

} // namespace

TEST_CASE("times between the creation of an execution and the report of its result stay as they are")
{
    CHECK(same(mended(5s, 9s), {created + 5s, created + 9s}));
    CHECK(same(plausible({created + 5s, std::nullopt}, known), {created + 5s, std::nullopt}));
    CHECK(same(plausible({std::nullopt, created + 9s}, known), {std::nullopt, created + 9s}));
    CHECK_FALSE(is_absurd({created, reported}, known));
    CHECK_FALSE(is_absurd({}, known));
}

TEST_CASE("a clock that is wrong by a fixed time leaves the duration of a run")
{
    CHECK(same(mended(-100s, -96s), {created, created + 4s}));
    CHECK(same(mended(100s, 104s), {reported - 4s, reported}));
}

TEST_CASE("absurd times are bounded, and the end is not before the start")
{
    auto const least = from_micros(1);
    auto const most = from_micros(std::numeric_limits<std::int64_t>::max());
    CHECK(same(plausible({least, created + 9s}, known), {created, reported}));
    CHECK(same(plausible({least, most}, known), {created, reported}));
    CHECK(same(plausible({most, least}, known), {reported, reported}));
    CHECK(same(plausible({most, std::nullopt}, known), {reported, std::nullopt}));
    CHECK(same(plausible({std::nullopt, least}, known), {std::nullopt, created}));
    CHECK(same(mended(9s, 5s), {created + 9s, created + 9s}));
    CHECK(is_absurd({least, std::nullopt}, known));
    CHECK(is_absurd({std::nullopt, most}, known));
}

TEST_CASE("an execution that was created by a clock ahead of the node's has begun when it was reported")
{
    known_times const ahead{reported + 5s, reported};
    CHECK(same(plausible({created, created + 1s}, ahead), {reported, reported}));
}

TEST_CASE("a client may be wrong by the tolerance without being named")
{
    CHECK_FALSE(is_absurd({created - 1s, reported + 1s}, known));
    CHECK(is_absurd({created - 1s - 1us, std::nullopt}, known));
    CHECK(is_absurd({std::nullopt, reported + 1s + 1us}, known));
}

TEST_CASE("an id tells when its object was made, to the millisecond")
{
    system_time time;
    seeded_random random{7};
    id_generator ids(time, random);
    auto const before = time.utc();
    auto const made = made_at(ids.make<execution_id>());
    CHECK(made > before - 1ms);
    CHECK(made <= time.utc());
}

TEST_CASE("a time that is not above 0 is none")
{
    CHECK(same(read_times(0, -5), {}));
    CHECK(same(read_times(1, 2), {from_micros(1), from_micros(2)}));
}

} // namespace reported_times_test
