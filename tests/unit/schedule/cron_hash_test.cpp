#include "libs/base/error.hpp"
#include "libs/schedule/cron_hash.hpp"
#include "libs/schedule/schedule.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <set>
#include <string>

namespace cron_hash_test {
namespace {

using namespace baton;
using namespace baton::schedule;
using protocol::cron_dialect;

cron_fields crontab(std::string const& text, std::uint32_t seed)
{
    return cron::parse(text, cron_dialect::crontab, seed).fields();
}

int lowest(std::uint64_t set)
{
    return std::countr_zero(set);
}

protocol::task_definition task_of(std::string const& cron)
{
    protocol::task_definition task;
    task.name = "close-day";
    task.schedule = {.kind = protocol::schedule_kind::cron, .cron = cron};
    return task;
}

} // namespace

TEST_CASE("the seed follows from project and name, and does not change between releases")
{
    CHECK(hash_seed_of("default", "close-day") == hash_seed_of("default", "close-day"));
    CHECK(hash_seed_of("default", "close-day") != hash_seed_of("default", "close-month"));
    CHECK(hash_seed_of("a", "bc") != hash_seed_of("ab", "c"));
    CHECK(hash_seed_of("default", "close-day") == 3'292'430'270u);
    CHECK(cron::parse("H H H H H", cron_dialect::crontab, 42) == cron::parse("47 7 12 7 6"));
}

TEST_CASE("a hashed value lies in its field or its range, and every value occurs")
{
    std::set<int> minutes;
    std::set<int> days;
    std::set<int> in_range;
    for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
        auto const fields = crontab("H H H H H", seed);
        CHECK(std::popcount(fields.minutes) == 1);
        minutes.insert(lowest(fields.minutes));
        days.insert(lowest(fields.days));
        in_range.insert(lowest(crontab("H(20-29) 2 * * *", seed).minutes));
    }
    CHECK(minutes.size() == 60);
    CHECK((days.size() == 28 && *days.begin() == 1)); // every month has them
    CHECK((in_range.size() == 10 && *in_range.begin() == 20));
}

TEST_CASE("a hashed step begins within the first step and goes on to the end of the field or range")
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        auto const minutes = crontab("H/15 * * * *", seed).minutes;
        CHECK(std::popcount(minutes) == 4);
        CHECK(lowest(minutes) < 15);
        auto const ranged = crontab("H(0-29)/10 * * * *", seed).minutes;
        CHECK(std::popcount(ranged) == 3);
        CHECK((ranged >> 30) == 0);
        CHECK(std::popcount(crontab("H/45 * * * *", seed).minutes) <= 2);
    }
}

TEST_CASE("the fields of one seed are hashed independently")
{
    int equal = 0;
    for (std::uint32_t seed = 0; seed < 1'000; ++seed) {
        auto const fields = cron::parse("H H 2 * * ?", cron_dialect::quartz, seed).fields();
        equal += fields.seconds == fields.minutes;
    }
    CHECK(equal < 50);
}

TEST_CASE("names that have an h are no hashed values")
{
    CHECK(has_hash("H * * * *"));
    CHECK(has_hash("0 0 h(1-3)/2 * *"));
    CHECK(has_hash("5,H 0 * * *"));
    CHECK_FALSE(has_hash("0 0 * march thu"));
    CHECK_FALSE(has_hash("@hourly"));
    CHECK_FALSE(has_hash("0 0 0 ? * THU#2"));
}

TEST_CASE("a task gets the seed that it lacks once, and keeps it")
{
    auto task = task_of("H 2 * * *");
    complete_schedule(task);
    auto const seed = hash_seed_of("default", "close-day");
    CHECK(task.schedule.rules.hash_seed == seed);

    auto renamed = task_of("H 3 * * *");
    renamed.name = "end-day";
    complete_schedule(renamed, &task.schedule);
    CHECK(renamed.schedule.rules.hash_seed == seed);

    auto chosen = task_of("H 2 * * *");
    chosen.schedule.rules.hash_seed = 7;
    complete_schedule(chosen, &task.schedule);
    CHECK(chosen.schedule.rules.hash_seed == 7);

    auto plain = task_of("0 2 * * *");
    complete_schedule(plain);
    CHECK_FALSE(plain.schedule.rules.hash_seed);
}

TEST_CASE("a hashed value without a seed, or written wrongly, is refused")
{
    auto const refusal = [](std::string const& text, std::optional<std::uint32_t> seed) {
        try {
            cron::parse(text, cron_dialect::crontab, seed);
        } catch (invalid_input const& wrong) {
            return wrong.field() + ": " + wrong.what();
        }
        return std::string("accepted");
    };
    CHECK(refusal("H 2 * * *", {}).starts_with("schedule.hash_seed: "));
    CHECK(refusal("0 H(5) * * *", 1) == "schedule.cron: hour (column 3): 'H(5)' is not such as H or H(a-b); write for "
                                        "example 'H(0-11)'");
    CHECK(refusal("0 H(5-3) * * *", 1).starts_with("schedule.cron: hour (column 5): the range '5-3' runs backwards"));
    CHECK(refusal("0 H(0-24) * * *", 1).starts_with("schedule.cron: hour (column 7): '24' is not from 0 to 23"));
    CHECK(refusal("0 HH * * *", 1).starts_with("schedule.cron: hour (column 3): 'HH' is not a number"));
}

} // namespace cron_hash_test
