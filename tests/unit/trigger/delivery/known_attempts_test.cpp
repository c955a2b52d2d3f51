#include "trigger/delivery/known_attempts.hpp"

#include <catch2/catch.hpp>

namespace known_attempts_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr execution_id one{1};

protocol::dispatch dispatch_of(int attempt)
{
    protocol::dispatch out;
    out.execution = one;
    out.attempt = attempt;
    return out;
}

} // namespace

TEST_CASE("an attempt is superseded by a later one of the same execution, and not by itself")
{
    known_attempts known;
    CHECK_FALSE(known.superseded(dispatch_of(1)));
    known.set(one, {2, fate::waiting});
    CHECK(known.superseded(dispatch_of(1)));
    CHECK_FALSE(known.superseded(dispatch_of(2)));
    CHECK_FALSE(known.superseded(dispatch_of(3)));
}

TEST_CASE("a reported attempt is forgotten when no message that may still come can assign it again")
{
    known_attempts known;
    REQUIRE(known.take(1, {}));
    REQUIRE(known.take(3, {2})); // message 2 is on its way
    known.set(one, {1, fate::delivered, "a"});
    known.acknowledged({one, 1}, 3);
    known.forget_settled();
    CHECK(known.find(one) != nullptr);
    REQUIRE(known.take(2, {}));
    known.forget_settled();
    CHECK(known.find(one) == nullptr);
}

TEST_CASE("an attempt that waits, or a later one, is not forgotten with the report of an earlier fate")
{
    known_attempts known;
    REQUIRE(known.take(1, {}));
    known.acknowledged({one, 1}, 1);
    SECTION("assigned again")
    {
        known.set(one, {1, fate::waiting});
    }
    SECTION("a later attempt")
    {
        known.set(one, {2, fate::delivered, "a"});
    }
    known.forget_settled();
    CHECK(known.find(one) != nullptr);
}

TEST_CASE("the lane is noted of an execution that is known, and of no other")
{
    known_attempts known;
    known.waits_in(one, 7);
    CHECK(known.find(one) == nullptr);
    known.set(one, {1, fate::waiting});
    known.waits_in(one, 7);
    CHECK(known.find(one)->lane == 7);
}

TEST_CASE("a new epoch forgets everything, and numbers its messages anew")
{
    known_attempts known;
    REQUIRE(known.take(5, {}));
    known.set(one, {1, fate::waiting});
    CHECK_FALSE(known.take(1, {}));
    known.clear();
    CHECK(known.find(one) == nullptr);
    CHECK(known.take(1, {}));
}

} // namespace known_attempts_test
