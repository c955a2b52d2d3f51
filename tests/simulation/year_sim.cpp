// A year of a mixed schedule, planned by masters that come and go, through both changes of the clock. The ledger must
// show the firings that year_oracle computes, each once, and those skipped that the misfire policies leave out.
//
// A master plans six hours ahead and lives for seconds, and the time between two of them costs nothing. Some outages
// are longer than six hours. BATON_YEAR is the number of tasks (200; 50 in slow builds).

#include "tests/simulation/seeds.hpp"
#include "tests/simulation/year_oracle.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/planner.hpp"

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdlib>
#include <random>

namespace year_sim {

using namespace baton;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t minutes_of_a_year = 365 * 24 * 60;
constexpr duration look_ahead = 6h;

std::size_t task_count()
{
    bool const slow = std::getenv("BATON_MOST_SEEDS") != nullptr; // a build with a sanitizer
    char const* const given = std::getenv("BATON_YEAR");
    return given != nullptr ? std::stoul(given) : slow ? 50 : 200;
}

std::vector<year_oracle::zone_year> const& zones()
{
    static auto const all = [] {
        std::vector<year_oracle::zone_year> out;
        auto const begin = from_rfc3339("2026-03-01T00:00:00Z"); // as every simulation
        for (auto const* name : {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns",
                                 "Africa/Casablanca", "Pacific/Apia", "Asia/Kolkata"})
            out.push_back(year_oracle::look_at_zone(name, begin, minutes_of_a_year));
        return out;
    }();
    return all;
}

struct found_firings {
    std::vector<utc_time> runs;
    std::set<utc_time> skipped;
    std::int64_t in_ranges = 0; // skipped, too many for a row each
};

// One master, with a memory of its own.
struct one_term {
    trigger::mastership ship;
    trigger::cluster_clock clock;
    trigger::term of;
    trigger::task_book book;
    trigger::open_set open;
    trigger::planning_watch watch{instant{}};
    trigger::planner planner;

    one_term(test::term_stage& on, std::int64_t epoch)
        : clock(on.host.time()),
          of{{"master", epoch}, ship, on.host.time(), clock},
          open(on.host.time()),
          planner(settings(), of, {*on.ledger, book, open, on.ids, watch}, on.stage.loop.get_executor(), [] {})
    {
        ship.extend(epoch, on.host.time().now(), 1h, 0s);
        planner.loaded();
    }
    static trigger::planner_settings settings()
    {
        trigger::planner_settings out;
        out.look_ahead = look_ahead;
        return out;
    }
};

struct year : test::term_stage {
    std::mt19937_64 chance;
    std::vector<year_oracle::task> tasks;
    std::vector<found_firings> found;
    std::int64_t epoch = 5;
    utc_time end = start + minutes_of_a_year * 1min;

    explicit year(std::uint64_t seed) : chance(seed), found(task_count())
    {
        for (std::size_t i = 0; i < task_count(); ++i)
            register_task(tasks.emplace_back(year_oracle::draw_task(chance, zones(), start)));
    }
    ~year() { stage.end(); }

    void register_task(year_oracle::task const& task)
    {
        nlohmann::json members{{"schedule", task.schedule}};
        if (!task.misfire.is_null())
            members["misfire"] = task.misfire;
        auto const id = static_cast<int>(tasks.size());
        add_task(id, members);
        auto const spec =
            protocol::parse_task({{"name", "t"}, {"service", "s"}, {"handler", "h"}, {"schedule", task.schedule}})
                .schedule;
        auto const first = schedule::timetable(spec, start).first(start);
        exec(fmt::format("UPDATE task SET created_at = {}, next_fire_at = {} WHERE id = {}", to_micros(start),
                         first ? std::to_string(to_micros(*first)) : "NULL", id));
    }

    utc_time now() { return stage.database.utc(); }

    void one_master()
    {
        exec(fmt::format("UPDATE lock_fence SET epoch = {}", ++epoch));
        for (auto const& [task, cursor] : overdue())
            year_oracle::pass_outage(tasks[task], cursor, now());
        one_term term(*this, epoch);
        auto run = [&]() -> awaitable<void> { co_await (term.planner.run() || host.time().sleep_for(2s)); };
        stage.play(run());
        take_rows();
    }

    std::vector<std::pair<std::size_t, utc_time>> overdue();
    void take_rows();

    // A master every two hours or sooner, and sometimes none for a day. The last one sees the end of the year.
    void pass()
    {
        for (one_master(); now() < end - 30s; one_master()) {
            auto const pause = chance() % 100 == 0 ? 6h + (chance() % 2'400) * 1min : (20 + chance() % 120) * 1min;
            auto const next =
                std::chrono::floor<std::chrono::minutes>(now() + pause) + 30s; // nothing is late by a hair
            stage.time.run_for(std::min<utc_time>(next, end - 30s) - now());
        }
    }

    std::string wrong();
};

std::vector<std::pair<std::size_t, utc_time>> year::overdue()
{
    std::vector<std::pair<std::size_t, utc_time>> out;
    stage.database.inspect([&](soci::session& session) {
        storage::statement ask(session);
        ask.select("id", "next_fire_at")(" FROM task WHERE next_fire_at <= ", now());
        ask.each([&](storage::row& cells) {
            auto const id = static_cast<std::size_t>(cells.number());
            out.emplace_back(id - 1, cells.moment());
        });
    });
    return out;
}

// The rows are taken out of the tables, which otherwise would grow all year.
void year::take_rows()
{
    stage.database.inspect([&](soci::session& session) {
        storage::statement rows(session);
        rows.select("task_id", "scheduled_at", "state")(" FROM execution ORDER BY scheduled_at");
        rows.each([&](storage::row& cells) {
            auto& mine = found[static_cast<std::size_t>(cells.number()) - 1];
            auto const at = cells.moment();
            if (cells.text() == "skipped")
                mine.skipped.insert(at);
            else
                mine.runs.push_back(at);
        });
        storage::statement ranges(session);
        ranges.select("task_id", "firings")(" FROM skipped_range");
        ranges.each([&](storage::row& cells) {
            auto& mine = found[static_cast<std::size_t>(cells.number()) - 1];
            mine.in_ranges += cells.number();
        });
    });
    exec("DELETE FROM execution");
    exec("DELETE FROM skipped_range");
}

std::string year::wrong()
{
    std::string out;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        auto& mine = found[i];
        auto const expected = tasks[i].runs();
        std::sort(mine.runs.begin(), mine.runs.end());
        std::erase_if(mine.runs, [&](utc_time at) { return at >= end; });
        auto const skipped = static_cast<std::int64_t>(mine.skipped.size()) + mine.in_ranges;
        if (mine.runs == expected && skipped == static_cast<std::int64_t>(tasks[i].skipped.size()))
            continue;
        auto const differ = std::mismatch(mine.runs.begin(), mine.runs.end(), expected.begin(), expected.end());
        auto const text = [](auto at, auto last) { return at == last ? std::string("none") : to_rfc3339(*at); };
        out += fmt::format("{} with {}: {} runs, {} expected; the first that differs: {}, expected {}; {} skipped, {} "
                           "expected\n",
                           tasks[i].schedule.dump(), tasks[i].misfire.dump(), mine.runs.size(), expected.size(),
                           text(differ.first, mine.runs.end()), text(differ.second, expected.end()), skipped,
                           tasks[i].skipped.size());
    }
    return out;
}

std::string play(std::uint64_t seed)
{
    year all(seed);
    all.pass();
    std::size_t runs = 0;
    std::size_t skipped = 0;
    for (auto const& task : all.tasks) {
        runs += task.firings.size() - task.skipped.size();
        skipped += task.skipped.size();
    }
    std::printf("seed %llu: %zu firings of %zu tasks, %zu skipped, %lld masters\n",
                static_cast<unsigned long long>(seed), runs, all.tasks.size(), skipped,
                static_cast<long long>(all.epoch));
    return all.wrong();
}

} // namespace

TEST_CASE("a year of a mixed schedule, planned by masters that come and go, fires as an independent computation says")
{
    check_seeds(2, play);
}

} // namespace year_sim
