#include "trigger/master/question_pauses.hpp"

#include <catch2/catch.hpp>

namespace question_pauses_test {

using namespace baton;
using namespace baton::trigger;

TEST_CASE("a node whose clients do not answer is asked with pauses that double up to two seconds")
{
    question_pauses pauses;
    instant now{100s};
    CHECK(pauses.may_ask("n", 1, now));
    for (auto const pause : {200ms, 400ms, 800ms, 1'600ms, 2'000ms, 2'000ms}) {
        pauses.silent("n", 1, now);
        CHECK_FALSE(pauses.may_ask("n", 1, now + pause - 1ms));
        CHECK(pauses.may_ask("n", 1, now + pause));
        CHECK(pauses.may_ask("another", 1, now));
        now += pause;
    }
}

TEST_CASE("a client that has come to a silent node is asked at once")
{
    question_pauses pauses;
    pauses.silent("n", 2, instant{100s});
    CHECK_FALSE(pauses.may_ask("n", 2, instant{100s}));
    CHECK(pauses.may_ask("n", 3, instant{100s}));
}

TEST_CASE("after an answer the pauses of a node begin anew")
{
    question_pauses pauses;
    pauses.silent("n", 1, instant{100s});
    pauses.silent("n", 1, instant{101s});
    pauses.answered("n");
    CHECK(pauses.may_ask("n", 1, instant{101s}));
    pauses.silent("n", 1, instant{102s});
    CHECK(pauses.may_ask("n", 1, instant{102s} + 200ms));
}

} // namespace question_pauses_test
