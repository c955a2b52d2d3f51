#include "trigger/delivery/delivery_rules.hpp"

#include <catch2/catch.hpp>

namespace delivery_rules_test {

using namespace baton;
using namespace baton::trigger;
using protocol::ack;

namespace {

known_attempt known_as(fate what, int attempt = 2, std::int64_t number = 7)
{
    return {attempt, what, "client", 0, number};
}

protocol::dispatch_ack answer(ack what, int holds = 0)
{
    return {execution_id{1}, 2, what, holds};
}

constexpr duration retry_pause = 100ms;

} // namespace

TEST_CASE("an execution that is new here, or a later attempt of a known one, is taken")
{
    CHECK(step_for(nullptr, 1, 8) == assignment_step::take);
    for (auto const what : {fate::dropped, fate::waiting, fate::delivered, fate::undelivered, fate::returned}) {
        auto const known = known_as(what);
        CHECK(step_for(&known, 3, 8) == assignment_step::take);
        CHECK(step_for(&known, 2, 8) != assignment_step::take);
        CHECK(step_for(&known, 1, 8) != assignment_step::take);
    }
}

TEST_CASE("a repeated assignment is answered by what became of the first one")
{
    auto const step = [](fate what) {
        auto const known = known_as(what);
        return step_for(&known, 2, 8);
    };
    CHECK(step(fate::dropped) == assignment_step::resume);
    CHECK(step(fate::waiting) == assignment_step::note);
    CHECK(step(fate::delivered) == assignment_step::tell);
    CHECK(step(fate::undelivered) == assignment_step::ignore);
}

TEST_CASE("work that was returned goes out again only by a later assignment than the one that brought it")
{
    auto const known = known_as(fate::returned, 2, 7);
    CHECK(step_for(&known, 2, 6) == assignment_step::ignore);
    CHECK(step_for(&known, 2, 7) == assignment_step::ignore);
    CHECK(step_for(&known, 2, 8) == assignment_step::resume);
}

TEST_CASE("an answer counts only under the term and the membership under which its group was sent")
{
    client_calls::dispatch_outcome outcome;
    outcome.answer.emplace();
    CHECK(end_of(outcome, true, true) == group_end::settle);
    CHECK(end_of(outcome, true, false) == group_end::let_go);
    CHECK(end_of(outcome, false, true) == group_end::nothing);
    CHECK(end_of(outcome, false, false) == group_end::nothing);
}

TEST_CASE("a group without an answer was refused for its size, or may have arrived")
{
    client_calls::dispatch_outcome outcome;
    CHECK(end_of(outcome, true, true) == group_end::unanswered);
    outcome.too_large = true;
    CHECK(end_of(outcome, true, true) == group_end::too_large);
    CHECK(end_of(outcome, true, false) == group_end::let_go);
}

TEST_CASE("three answers say that the client has the execution, and one of them that it takes no place there")
{
    for (auto const what : {ack::accepted, ack::running, ack::finished}) {
        auto const got = meaning_of(answer(what, 2), 2, retry_pause);
        CHECK(got.what == ack_meaning::end::delivered);
        CHECK(got.earlier == 0);
        CHECK(got.occupies == (what != ack::finished));
        CHECK_FALSE(got.full);
    }
}

TEST_CASE("a client that runs an earlier attempt has that one and not the one that was sent")
{
    CHECK(meaning_of(answer(ack::running, 1), 2, retry_pause).earlier == 1);
    CHECK(meaning_of(answer(ack::running, 3), 2, retry_pause).earlier == 0);
    CHECK(meaning_of(answer(ack::finished, 1), 2, retry_pause).earlier == 0); // its result ends the execution
}

TEST_CASE("an execution that its client refuses goes elsewhere, and the client gets less")
{
    auto const got = [](ack what) { return meaning_of(answer(what), 2, retry_pause); };
    for (auto const what : {ack::busy, ack::moved, ack::draining, ack::no_handler})
        CHECK(got(what).what == ack_meaning::end::elsewhere);
    CHECK(got(ack::busy).full == retry_pause);
    CHECK(got(ack::moved).full == 2s);
    CHECK_FALSE(got(ack::draining).full);
    CHECK(got(ack::draining).drains);
    CHECK_FALSE(got(ack::busy).drains);
    CHECK(got(ack::no_handler).lacks_handler);
    CHECK_FALSE(got(ack::moved).lacks_handler);
}

TEST_CASE("an execution that a client cannot read is not sent to any other")
{
    CHECK(meaning_of(answer(ack::invalid), 2, retry_pause).what == ack_meaning::end::impossible);
}

TEST_CASE("a delivery whose client has left goes to another one only if the first certainly does not have it")
{
    CHECK(after_silence(true, true) == silent_end::client_gone);
    CHECK(after_silence(true, false) == silent_end::in_doubt);
    CHECK(after_silence(false, true) == silent_end::elsewhere);
    CHECK(after_silence(false, false) == silent_end::elsewhere);
}

TEST_CASE("a group that is too large is split, and a client that refuses a small message is out of order")
{
    CHECK(after_refusal({.count = 2, .bytes = 100u << 20}) == refused_size::split);
    CHECK(after_refusal({.bytes = 16u << 10}) == refused_size::unanswered);
    CHECK(after_refusal({.here = false, .bytes = 17u << 10}) == refused_size::unanswered);
    CHECK(after_refusal({.count = 2, .here = false, .bytes = 17u << 10}) == refused_size::unanswered);
}

TEST_CASE("an execution whose size a client refuses goes to others, until three have refused it")
{
    CHECK(after_refusal({.bytes = 17u << 10}) == refused_size::elsewhere);
    CHECK(after_refusal({.bytes = 17u << 10, .clients = 2}) == refused_size::elsewhere);
    CHECK(after_refusal({.bytes = 17u << 10, .clients = 3}) == refused_size::impossible);
    CHECK(after_refusal({.bytes = 17u << 10, .named = true}) == refused_size::impossible);
    CHECK(after_refusal({.bytes = 17u << 10, .bound = true, .named = true, .clients = 3}) == refused_size::in_doubt);
}

TEST_CASE("only work for which there was no room may come again as the same attempt")
{
    using protocol::return_cause;
    CHECK(fate_after(return_cause::no_room) == fate::returned);
    for (auto const cause : {return_cause::impossible, return_cause::client_gone, return_cause::in_doubt})
        CHECK(fate_after(cause) == fate::undelivered);
}

} // namespace delivery_rules_test
