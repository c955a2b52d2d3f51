// Measures how fast the database alone can execute the writes of the data path: the same tables, the same statements in
// batches, the same transactions, but no scheduler, no HTTP and no handlers; with libmariadb directly.
//
//     bench_ceiling URL --first-id N --tasks N --begin MICROSECONDS [--sessions N] [--batch N] [--seconds S]
//
// The tasks must be registered. Each session has its share of them. For each batch of its tasks it commits the advance
// of the tasks together with as many firings per task as the planner plans at once. One look-ahead later it commits the
// results of that batch. There is no fence, because the fence would serialise the sessions. Prints one line of JSON.

#include "libs/storage/database.hpp"

#include <CLI/CLI.hpp>
#include <mysql.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <barrier>
#include <charconv>
#include <chrono>
#include <deque>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using steady = std::chrono::steady_clock;

struct plan_of_run {
    std::string url;
    std::int64_t first_id = 0;
    std::int64_t begin = 0;
    std::int64_t tasks = 10'000;
    int sessions = 1;
    std::int64_t batch = 500;
    std::int64_t firings = 2; // firings per task that are planned at once: half a look-ahead
    double seconds = 10;
    double behind = 5; // seconds of firings that are planned and not ended: the look-ahead
};

constexpr std::int64_t second = 1'000'000;

class session {
public:
    explicit session(std::string const& url) : link_(mysql_init(nullptr))
    {
        auto const server = baton::storage::parse_location(url);
        if (mysql_real_connect(link_.get(), server.host.c_str(), server.user.c_str(), server.password.c_str(),
                               server.name.c_str(), server.port, nullptr, CLIENT_FOUND_ROWS) == nullptr)
            fail();
        run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }

    // Returns the number of rows matched.
    std::int64_t run(std::string const& statement)
    {
        if (mysql_real_query(link_.get(), statement.data(), statement.size()) != 0)
            fail();
        return static_cast<std::int64_t>(mysql_affected_rows(link_.get()));
    }

private:
    struct closing {
        void operator()(MYSQL* link) const { mysql_close(link); }
    };
    [[noreturn]] void fail() { throw std::runtime_error(mysql_error(link_.get())); }

    std::unique_ptr<MYSQL, closing> link_;
};

// The text of a statement, which reuses its memory for each batch.
class text {
public:
    text& clear()
    {
        all_.clear();
        return *this;
    }
    text& operator<<(char const* literal)
    {
        all_ += literal;
        return *this;
    }
    text& operator<<(std::int64_t value)
    {
        char digits[24];
        auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        all_.append(digits, end);
        return *this;
    }
    std::string const& all() const { return all_; }

private:
    std::string all_;
};

constexpr char now[] = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

// The firings of tasks [from, from + many) in one turn over all tasks.
struct batch {
    std::int64_t from = 0;
    std::int64_t many = 0;
    std::int64_t turn = 0;
};

class writer {
public:
    writer(plan_of_run const& plan, int number) : plan_(plan), session_(plan.url), number_(number)
    {
        low_ = plan.tasks * number / plan.sessions;
        high_ = plan.tasks * (number + 1) / plan.sessions;
        at_ = low_;
    }

    // Plans one look-ahead.
    void fill()
    {
        auto const ahead = plan_.behind * static_cast<double>(high_ - low_);
        for (double rows = 0; rows < ahead; rows += static_cast<double>(planned_.back().many * plan_.firings))
            plan(next());
    }

    // Plans and records until `end`. Returns the number of executions whose result was committed.
    std::int64_t run(steady::time_point end)
    {
        std::int64_t ended = 0;
        while (steady::now() < end) {
            plan(next());
            for (std::int64_t i = 0; i < plan_.firings; ++i) {
                record(planned_.front());
                ended += planned_.front().many;
                planned_.pop_front();
            }
        }
        return ended;
    }

private:
    batch next()
    {
        batch const made{at_, std::min(plan_.batch, high_ - at_), turn_};
        at_ += made.many;
        if (at_ == high_) {
            at_ = low_;
            turn_ += plan_.firings;
        }
        return made;
    }

    std::int64_t due(batch const& of, std::int64_t task) const
    {
        return plan_.begin + second * task / plan_.tasks + second * of.turn;
    }
    // Ids that rise in the order in which each session plans.
    std::int64_t execution(batch const& of, std::int64_t task) const
    {
        return (of.turn * plan_.tasks + task + 1) * 64 + number_;
    }

    void expect(std::int64_t rows, batch const& of)
    {
        if (rows != of.many)
            throw std::runtime_error("a batch of " + std::to_string(of.many) + " matched " + std::to_string(rows));
    }

    // A derived table with three columns and a row per task. The first row, a SELECT, names the columns; the others are
    // VALUES.
    template <class Second, class Third, class Id>
    void rows(batch const& of, Id id, char const* second_name, Second second_value, char const* third_name,
              Third third_value)
    {
        text_ << "SELECT " << id(of.from) << " AS v_id, " << second_value(of.from) << " AS " << second_name << ", "
              << third_value(of.from) << " AS " << third_name << (of.many > 1 ? " UNION ALL VALUES " : "");
        for (auto task = of.from + 1; task < of.from + of.many; ++task)
            text_ << (task == of.from + 1 ? "(" : ", (") << id(task) << ", " << second_value(task) << ", "
                  << third_value(task) << ")";
    }

    void plan(batch const& of)
    {
        session_.run("BEGIN");
        text_.clear() << "UPDATE (";
        rows(
            of, [&](auto task) { return plan_.first_id + task; }, "v_seen", [&](auto task) { return due(of, task); },
            "v_next", [&](auto task) { return due(of, task) + second * plan_.firings; });
        text_ << ") v STRAIGHT_JOIN task e ON e.id = v.v_id SET next_fire_at = v.v_next, waiting_for = NULL "
                 "WHERE e.version = 1 AND e.next_fire_at = v.v_seen";
        expect(session_.run(text_.all()), of);
        for (std::int64_t i = 0; i < plan_.firings; ++i) {
            planned_.push_back({of.from, of.many, of.turn + i});
            insert(planned_.back());
        }
        session_.run("COMMIT");
    }

    void insert(batch const& of)
    {
        text_.clear()
            << "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
               "due_at, attempt, max_attempts, retry_delay_us, epoch, parent_id, shard_index, shard_total, "
               "shard_instance, created_at) VALUES ";
        for (auto task = of.from; task < of.from + of.many; ++task)
            text_ << (task == of.from ? "(" : ", (") << execution(of, task) << ", 'default', " << plan_.first_id + task
                  << ", 1, " << due(of, task) << ", 0, 'schedule', 'planned', " << due(of, task)
                  << ", 1, 1, 1000000, 2, NULL, 0, 1, NULL, " << now << ")";
        session_.run(text_.all());
    }

    void record(batch const& of)
    {
        text_.clear() << "UPDATE (";
        rows(
            of, [&](auto task) { return execution(of, task); }, "v_started",
            [&](auto task) { return due(of, task) + 500; }, "v_finished",
            [&](auto task) { return due(of, task) + 510; });
        text_ << ") v STRAIGHT_JOIN execution e ON e.id = v.v_id SET "
                 "node = 'benchmark:4712:2f9c01d3:8c1f6f4ce05a9b3f77b0b4c2d8e9f1a6', "
                 "client = 'benchmark:4711:2f9c01d3:8c1f6f4ce05a9b3f77b0b4c2d8e9f1a6', "
                 "started_at = COALESCE(v.v_started, started_at), finished_at = v.v_finished, progress = 0, "
                 "result = NULL, error = NULL, outcome = 'succeeded', due_at = NULL, ended_at = "
              << now
              << ", state = 'succeeded' WHERE e.due_at IS NOT NULL AND ((e.attempt = 1 AND e.state IN ('planned', "
                 "'running')) OR (e.attempt > 1 AND e.outcome IS NULL))";
        expect(session_.run(text_.all()), of);
    }

    plan_of_run const& plan_;
    session session_;
    int number_;
    std::int64_t low_ = 0;
    std::int64_t high_ = 0;
    std::int64_t at_ = 0;
    std::int64_t turn_ = 0;
    std::deque<batch> planned_;
    text text_;
};

int measure(plan_of_run const& plan)
{
    std::vector<std::unique_ptr<writer>> writers;
    for (int number = 0; number < plan.sessions; ++number)
        writers.push_back(std::make_unique<writer>(plan, number));
    std::atomic<std::int64_t> ended = 0;
    std::atomic<bool> failed = false;
    std::barrier filled(plan.sessions);
    auto const span = std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(plan.seconds));
    std::vector<std::jthread> threads;
    for (auto const& each : writers)
        threads.emplace_back([&] {
            try {
                each->fill();
                filled.arrive_and_wait();
                ended += each->run(steady::now() + span);
            } catch (std::exception const& failure) {
                std::cerr << "bench_ceiling: " << failure.what() << '\n';
                failed = true;
                filled.arrive_and_drop();
            }
        });
    threads.clear();
    std::cout << nlohmann::json{{"sessions", plan.sessions},
                                {"batch", plan.batch},
                                {"executions", ended.load()},
                                {"rate", static_cast<double>(ended) / plan.seconds}}
              << '\n';
    return failed ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    plan_of_run plan;
    CLI::App program("Measures how fast the database alone executes the writes of the data path");
    program.add_option("url", plan.url, "mysql://user:password@host:port/database")->required();
    program.add_option("--first-id", plan.first_id, "id of the first task")->required();
    program.add_option("--begin", plan.begin, "time of the first firing in microseconds since the epoch")->required();
    program.add_option("--tasks", plan.tasks, "number of tasks, each firing once a second");
    program.add_option("--sessions", plan.sessions, "number of sessions");
    program.add_option("--batch", plan.batch, "rows per statement");
    program.add_option("--firings", plan.firings, "firings of a task that are planned at once")
        ->check(CLI::PositiveNumber);
    program.add_option("--seconds", plan.seconds, "seconds to run");
    CLI11_PARSE(program, argc, argv);
    try {
        return measure(plan);
    } catch (std::exception const& failure) {
        std::cerr << "bench_ceiling: " << failure.what() << '\n';
        return 1;
    }
}
