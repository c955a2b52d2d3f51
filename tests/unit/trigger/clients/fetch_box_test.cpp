#include "trigger/clients/fetch_box.hpp"

#include <catch2/catch.hpp>

namespace fetch_box_test {

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::fetched_call call(std::int64_t number, std::string body = "{}")
{
    protocol::fetched_call one;
    one.call = number;
    one.path = protocol::path_dispatch;
    one.body.text = std::move(body);
    return one;
}

std::vector<std::int64_t> calls_in(std::string const& text)
{
    protocol::fetch_answer answer;
    from_text(text, answer);
    std::vector<std::int64_t> numbers;
    for (auto const& one : answer.calls)
        numbers.push_back(one.call);
    return numbers;
}

using numbers = std::vector<std::int64_t>;

instant const begin{1'000s};

} // namespace

TEST_CASE("an envelope is repeated byte for byte until it is answered, and what came meanwhile follows")
{
    fetch_box box;
    std::int64_t last = 40;
    CHECK_FALSE(box.has_calls());
    CHECK(box.put(call(1)));
    CHECK(box.put(call(2)));
    auto const first = box.envelope("n", last, begin);
    CHECK(last == 41);
    CHECK(calls_in(first) == numbers{1, 2});
    CHECK(box.put(call(3)));
    CHECK(box.envelope("n", last, begin) == first);
    CHECK(last == 41);
    CHECK(box.settle(40).empty());
    CHECK(box.envelope("n", last, begin) == first);

    CHECK(box.settle(41) == numbers{1, 2});
    CHECK(box.settle(41).empty()); // the client repeats its answers
    CHECK(calls_in(box.envelope("n", last, begin)) == numbers{3});
    CHECK(last == 42);
    CHECK(box.settle(42) == numbers{3});
    CHECK_FALSE(box.has_calls());
}

TEST_CASE("a call that is given up does not reach the client, unless an envelope has it already")
{
    fetch_box box;
    std::int64_t last = 0;
    box.put(call(1));
    box.put(call(2));
    box.give_up(1);
    auto const text = box.envelope("n", last, begin);
    CHECK(calls_in(text) == numbers{2});
    CHECK_FALSE(box.in_envelope(1));
    CHECK(box.in_envelope(2));
    box.give_up(2);
    CHECK(box.envelope("n", last, begin) == text);
    CHECK(box.settle(1) == numbers{2});
}

TEST_CASE("a request counts only if it is newer than all before")
{
    fetch_box box;
    CHECK(box.begin(1));
    CHECK(box.begin(5));
    CHECK_FALSE(box.begin(5));
    CHECK_FALSE(box.begin(3));
    CHECK(box.begin(6));
}

TEST_CASE("calls and their bytes are bounded, and a large one goes alone")
{
    fetch_box box({.calls = 3, .bytes = 1'000, .envelope = 100});
    std::int64_t last = 0;
    auto const body = [](std::size_t size) { return "\"" + std::string(size - 2, 'x') + "\""; };
    CHECK(box.put(call(1, body(2'000)))); // a single one may be larger
    CHECK_FALSE(box.put(call(2, body(50))));
    CHECK(calls_in(box.envelope("n", last, begin)) == numbers{1});
    CHECK(box.put(call(3, body(60))));
    CHECK(box.put(call(4, body(60))));
    CHECK(box.put(call(5, body(30))));
    CHECK_FALSE(box.put(call(6, body(2))));
    box.settle(last);
    CHECK(calls_in(box.envelope("n", last, begin)) == numbers{3});
    box.settle(last);
    CHECK(calls_in(box.envelope("n", last, begin)) == numbers{4, 5});
    box.settle(last);
    CHECK(box.put(call(7, body(1'000)))); // the room is free again
}

TEST_CASE(
    "an envelope without an answer is not repeated for so long that the client could have forgotten its executions")
{
    fetch_box box;
    std::int64_t last = 0;
    box.put(call(1));
    box.envelope("n", last, begin);
    box.put(call(2));
    CHECK(box.drop_old(begin + 59s).empty());
    CHECK(box.drop_old(begin + 60s) == numbers{1});
    CHECK(box.drop_old(begin + 60s).empty());
    CHECK(box.settle(1).empty()); // too late
    CHECK(calls_in(box.envelope("n", last, begin + 60s)) == numbers{2});
    CHECK(last == 2);
    CHECK(box.drop_old(begin + 119s).empty());
}

} // namespace fetch_box_test
