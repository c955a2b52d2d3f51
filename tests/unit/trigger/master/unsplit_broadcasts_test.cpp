#include "trigger/master/unsplit_broadcasts.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <vector>

namespace unsplit_broadcasts_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant now{100s};
unsplit_broadcasts::need const dead{{"default", "dead"}, "h"};
unsplit_broadcasts::need const good{{"default", "good"}, "h"};

bool is_good(unsplit_broadcasts::need const& needed)
{
    return needed.service.service != "dead";
}

std::vector<int> all(unsplit_broadcasts& waiting, instant at = now)
{
    std::vector<int> out;
    while (auto const id = waiting.next(at, is_good)) {
        out.push_back(static_cast<int>(id->value()));
        waiting.done();
    }
    return out;
}

} // namespace

TEST_CASE("one look at the clients is enough for all broadcasts that need the same, and it is not repeated at once")
{
    unsplit_broadcasts waiting;
    for (int id = 1; id <= 10'000; ++id)
        waiting.add(dead, execution_id{id});
    waiting.add(good, execution_id{20'000});
    int looks = 0;
    auto const count = [&](unsplit_broadcasts::need const& needed) {
        ++looks;
        return is_good(needed);
    };
    CHECK(waiting.next(now, count) == execution_id{20'000});
    waiting.done();
    CHECK_FALSE(waiting.next(now, count));
    CHECK(looks == 2);
    CHECK(waiting.look_at(now) == now + 500ms);
    CHECK_FALSE(waiting.next(now + 400ms, count));
    CHECK(looks == 2);
    CHECK_FALSE(waiting.next(now + 500ms, count));
    CHECK(looks == 3);
}

TEST_CASE("lines take turns, each in its order")
{
    unsplit_broadcasts waiting;
    unsplit_broadcasts::need const other{{"default", "other"}, "h"};
    for (int const id : {1, 2, 3})
        waiting.add(good, execution_id{id});
    for (int const id : {11, 12})
        waiting.add(other, execution_id{id});
    CHECK(all(waiting) == std::vector{1, 11, 2, 12, 3});
    CHECK(waiting.empty());
    CHECK_FALSE(waiting.look_at(now));
}

TEST_CASE("a broadcast that could not be split is offered again")
{
    unsplit_broadcasts waiting;
    waiting.add(good, execution_id{1});
    CHECK(waiting.next(now, is_good) == execution_id{1});
    CHECK(waiting.next(now, is_good) == execution_id{1});
    waiting.done();
    CHECK_FALSE(waiting.next(now, is_good));
}

} // namespace unsplit_broadcasts_test
