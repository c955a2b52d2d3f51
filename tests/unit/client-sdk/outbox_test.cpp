#include "client-sdk/src/outbox.hpp"

#include <catch2/catch.hpp>

namespace outbox_test {

using namespace baton;
using namespace baton::client;

namespace {

constexpr instant start{1h};
constexpr std::size_t plenty = 1u << 20;

void add(outbox& box, std::int64_t execution, int attempt = 1, std::size_t bytes = 10)
{
    protocol::result_report report;
    report.execution = execution_id{execution};
    report.attempt = attempt;
    report.value = protocol::json_text("kept");
    box.add(report, bytes, start);
}

std::vector<std::int64_t> executions(std::vector<protocol::result_report> const& batch)
{
    std::vector<std::int64_t> ids;
    for (auto const& report : batch)
        ids.push_back(report.execution.value());
    return ids;
}

} // namespace

TEST_CASE("results stay in the outbox, in order, until they are recorded", "[client]")
{
    outbox box;
    for (int i = 3; i >= 1; --i)
        add(box, i);
    CHECK(executions(box.batch(start, 2, plenty)) == std::vector<std::int64_t>{3, 2});
    box.recorded({execution_id{2}, 1});
    box.recorded({execution_id{3}, 9}); // another attempt
    box.unsent({execution_id{3}, 1});
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{3, 1});
    CHECK(box.size() == 2);
}

TEST_CASE("a result on its way is in no other batch until its send has ended", "[client]")
{
    outbox box;
    add(box, 1);
    add(box, 2);
    CHECK(executions(box.batch(start, 1, plenty)) == std::vector<std::int64_t>{1});
    CHECK(box.waiting() == 1);
    box.hurry({execution_id{1}, 1}, start);
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{2});
    CHECK(box.next_due() == std::nullopt);
    box.unsent({execution_id{2}, 1});
    box.postpone({execution_id{1}, 1}, start);
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{2});
    box.recorded({execution_id{2}, 1});
    CHECK(box.next_due() == start + 100ms);
    CHECK(executions(box.batch(start + 100ms, 500, plenty)) == std::vector<std::int64_t>{1});
}

TEST_CASE("a batch is bounded in bytes, but holds at least one result", "[client]")
{
    auto const taken = [](std::size_t bytes) {
        outbox box;
        add(box, 1, 1, 2'000);
        add(box, 2, 1, 2'000);
        return box.batch(start, 500, bytes).size();
    };
    CHECK(taken(3'000) == 1);
    CHECK(taken(5) == 1);
    CHECK(taken(5'000) == 2);
}

TEST_CASE("a result that a node did not record waits longer each time and does not hold up others", "[client]")
{
    outbox box;
    add(box, 1);
    add(box, 2);
    box.postpone({execution_id{1}, 1}, start);
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{2});
    box.recorded({execution_id{2}, 1});
    CHECK(box.next_due() == start + 100ms);
    box.postpone({execution_id{1}, 1}, start);
    CHECK(box.next_due() == start + 200ms);
    for (int i = 0; i < 20; ++i)
        box.postpone({execution_id{1}, 1}, start);
    CHECK(box.next_due() == start + 30s);
    box.hurry({execution_id{1}, 1}, start);
    CHECK(box.next_due() == start);
}

TEST_CASE("the results of an unreadable batch go out again in smaller batches", "[client]")
{
    outbox box;
    for (int i = 1; i <= 5; ++i)
        add(box, i);
    CHECK(box.batch(start, 4, plenty).size() == 4);
    for (int i = 1; i <= 4; ++i)
        box.part({execution_id{i}, 1}, 2);
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{1, 2});
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{3, 4});
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{5});
    box.part({execution_id{3}, 1}, 1);
    box.part({execution_id{4}, 1}, 0);
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{3});
    CHECK(executions(box.batch(start, 500, plenty)) == std::vector<std::int64_t>{4});
}

TEST_CASE("a result that no node takes loses its value, once", "[client]")
{
    outbox box;
    add(box, 1);
    CHECK(box.strip({execution_id{1}, 1}, "refused"));
    CHECK_FALSE(box.strip({execution_id{1}, 1}, "refused again"));
    CHECK_FALSE(box.strip({execution_id{2}, 1}, "unknown"));
    auto const batch = box.batch(start, 500, plenty);
    REQUIRE(batch.size() == 1);
    CHECK(batch[0].value.is_null());
    CHECK(batch[0].error == "refused");
}

} // namespace outbox_test
