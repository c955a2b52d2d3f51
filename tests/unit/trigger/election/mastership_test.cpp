#include "trigger/election/mastership.hpp"

#include <catch2/catch.hpp>

#include <thread>

namespace mastership_test {

using namespace baton;
using namespace baton::trigger;

namespace {
constexpr instant start{1'000s};
}

TEST_CASE("a term is active before both of its deadlines, and suspended after either")
{
    mastership ship;
    CHECK(ship.at(start) == standing::none);
    ship.extend(7, start, 3s, 250ms);
    CHECK(ship.active(7, start + 2s));
    CHECK_FALSE(ship.active(6, start + 2s));
    CHECK_FALSE(ship.active(7, start + 2s, 1s)); // not for so long
    ship.guard(start + 270ms);
    CHECK(ship.at(start + 200ms) == standing::active);
    CHECK(ship.at(start + 270ms) == standing::suspended);
    ship.lose();
    CHECK(ship.at(start) == standing::none);
}

TEST_CASE("a term that another loop supersedes does not act any more, and the next term does")
{
    mastership ship;
    CHECK_FALSE(ship.supersede(9));
    ship.extend(7, start, 3s, 250ms);
    CHECK_FALSE(ship.supersede(7));
    CHECK(ship.active(7, start));
    CHECK(ship.supersede(8));
    CHECK_FALSE(ship.active(7, start));
    CHECK(ship.at(start) == standing::lost);
    CHECK(ship.epoch() == 7); // the election has yet to end it
    ship.lose();
    ship.extend(9, start, 3s, 250ms);
    CHECK(ship.active(9, start));
}

TEST_CASE("a deadline that is read while its term ends and the next one begins is not used")
{
    std::int64_t epoch = 7;
    auto const now = [&] { return epoch; };
    CHECK(read_deadline(7, now, [] { return start; }) == start);
    CHECK_FALSE(read_deadline(6, now, [] { return start; }));
    auto const next_begins = [&] {
        epoch = 9;
        return start + 1h; // of the next term
    };
    CHECK_FALSE(read_deadline(7, now, next_begins));
    epoch = 7;
    auto const ends = [&] {
        epoch = 0;
        return start;
    };
    CHECK_FALSE(read_deadline(7, now, ends));
}

// Even terms last until `start`, odd ones until an hour later. A reader that met the deadline of an odd term with the
// epoch of an even one would find an even term active after `start`.
TEST_CASE("the epoch of an old term never meets the deadlines of a new one", "[threads]")
{
    mastership ship;
    std::atomic<bool> over{false};
    std::atomic<std::int64_t> newest{1};
    std::int64_t wrong = 0;
    std::thread reader([&] {
        while (!over) {
            auto const known = newest.load();
            auto const even = known - known % 2;
            wrong += ship.active(even, start + 1s) ? 1 : 0;
        }
    });
    system_time clock;
    auto const until = clock.now() + 500ms;
    for (std::int64_t epoch = 2; epoch % 1'000 != 0 || clock.now() < until; ++epoch) {
        newest = epoch;
        bool const lasts = epoch % 2 == 1;
        ship.guard(lasts ? mastership::unguarded : start);
        ship.extend(epoch, start - 1s, lasts ? duration(1h) : duration(1s), 0s);
        ship.lose();
    }
    over = true;
    reader.join();
    CHECK(wrong == 0);
}

} // namespace mastership_test
