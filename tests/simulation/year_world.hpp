#pragma once
// A year on a simulated database: tasks of all kinds, masters that come and go, and edits. Its ledger is compared with
// what year_oracle computes.

#include "libs/schedule/plan.hpp"
#include "libs/storage/services.hpp"
#include "libs/storage/tasks.hpp"
#include "tests/simulation/year_oracle.hpp"
#include "tests/unit/trigger/master/term_stage.hpp"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace year_sim {

using namespace baton;

inline constexpr std::size_t minutes_of_a_year = 365 * 24 * 60;
inline constexpr duration look_ahead = 24h;

std::vector<year_oracle::zone_year> const& zones();
std::vector<year_oracle::calendar> const& calendars();

struct found_firings {
    std::vector<utc_time> runs;
    std::set<utc_time> skipped;
    std::int64_t in_ranges = 0; // skipped, too many for a row each
};

struct one_term;

std::string service_name(int which);

struct year : test::term_stage {
    year(std::uint64_t seed, std::size_t count);
    ~year() { stage.end(); }

    // A master plans a day ahead and lives for seconds; the time between two of them costs nothing. Some outages are
    // longer. The last master sees the end of the year.
    void pass();
    // The planned executions of which the instants have come.
    std::vector<execution_id> due_now();
    // How the ledger differs from the computation; empty if it does not.
    std::string wrong();

    std::mt19937_64 chance;
    std::vector<year_oracle::task> tasks;
    std::map<std::size_t, std::size_t> parents; // of tasks that run after another one
    std::vector<found_firings> found;
    std::int64_t epoch = 5;
    int edits = 0;
    int pauses = 0;
    utc_time end = start + minutes_of_a_year * 1min;
    std::string faults; // found on the way

private:
    utc_time now() { return stage.database.utc(); }
    void make_calendars();
    void add(std::size_t index, year_oracle::task const& task);
    void add_child(std::size_t parent);
    nlohmann::json stored(nlohmann::json schedule) const; // with the contents of its calendars
    void note_outage(std::optional<std::size_t> only = std::nullopt);
    void one_master();
    void end_runs(one_term& term);
    void take_rows(bool last);
    void take_row(storage::row& cells);
    void change_one();
    void edit_one(std::size_t index);
    void skip_some(std::size_t index);
    void change_pause();
    void end_pause();
    using change = std::function<void(protocol::task_definition&, storage::task_record const&)>;
    std::optional<utc_time> edit(std::size_t index, change const& change_it); // when it holds; none: refused
    std::string compare(std::size_t index);

    std::map<std::string, nlohmann::json> contents_; // of calendars
    std::vector<year_oracle::task> spare_;           // schedules for edits
    year_oracle::pauses pauses_;
    storage::services services_{*shared};
    storage::tasks table_{*shared, schedule::plan_edit, 2s};
};

} // namespace year_sim
