// From a client's result to the master: the collector commits it, and the reporter tells of it.

#include "libs/base/log.hpp"
#include "libs/sim/sim.hpp"
#include "libs/storage/statement.hpp"
#include "trigger/delivery/collector.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>

namespace results_test {

using namespace baton;
using namespace baton::trigger;
using protocol::state;

namespace {

struct fixture {
    sim::stage stage{7};
    sim::host& host = stage.add_host("node");
    seeded_random random{3};
    std::unique_ptr<storage::database> shared;
    std::optional<storage::ledger> ledger;
    known_attempts known;
    trigger::lanes lanes{{}, random};
    std::vector<protocol::report_request> heard; // by the master
    bool master_answers = true;
    std::optional<reporter> report;
    std::optional<collector> results;

    explicit fixture(results_settings settings = {})
    {
        stage.make_tables();
        shared = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        ledger.emplace(*shared, *shared);
        reporter::dependencies with{[this](protocol::report_request const& one) { return hear(one); }, known, lanes,
                                    host.time()};
        report.emplace("node-1", std::move(with), stage.loop.get_executor());
        report->new_term({1, 5});
        results.emplace(settings, "node-1", collector::dependencies{*ledger, *report, host.time()},
                        stage.loop.get_executor());
        host.spawn(report->run());
        host.spawn(results->run());
    }
    ~fixture() { stage.end(); }

    awaitable<std::optional<protocol::report_answer>> hear(protocol::report_request one)
    {
        co_await host.time().sleep_for(1ms);
        if (!master_answers)
            co_return std::nullopt;
        if (!one.finished.empty() || !one.started.empty() || !one.delivered.empty() || !one.undelivered.empty())
            heard.push_back(std::move(one)); // one without news shows only that the node reaches the master
        co_return protocol::report_answer{10};
    }

    void add_executions(int count)
    {
        for (int id = 1; id <= count; ++id)
            exec("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, "
                 "due_at, attempt, max_attempts, retry_delay_us, epoch, created_at) VALUES (" +
                 std::to_string(id) + ", 'p', 1, 1, " + std::to_string(id) +
                 ", 0, 'schedule', 'planned', 1, 1, 1, 0, 5, 1)");
    }
    void exec(std::string const& sql)
    {
        stage.database.inspect([&](soci::session& session) {
            storage::statement change(session);
            change(storage::fragment{sql.c_str()});
            change.execute();
        });
    }
    std::string look(std::string const& sql)
    {
        std::string value;
        auto const expression = "(" + sql + ")";
        stage.database.inspect([&](soci::session& session) {
            storage::statement(session).column(storage::fragment{expression.c_str()}).each([&](storage::row& cells) {
                value = cells.text();
            });
        });
        return value;
    }

    // A client sends these. `answers` counts messages, and the errors of those that were refused.
    void send(protocol::results_request message) { host.spawn(take(std::move(message))); }
    awaitable<void> take(protocol::results_request message)
    {
        try {
            co_await results->take(std::move(message));
            ++answers[""];
        } catch (std::exception const& refused) {
            ++answers[refused.what()];
        }
    }
    void send(std::vector<int> const& ids)
    {
        protocol::results_request message;
        message.instance = "client";
        for (auto const id : ids)
            message.results.push_back(result(id));
        send(std::move(message));
    }
    static protocol::result_report result(int id)
    {
        protocol::result_report one;
        one.execution = execution_id{id};
        one.started_at = 1;
        one.finished_at = 2;
        return one;
    }
    std::vector<execution_id> finished() const
    {
        std::vector<execution_id> ids;
        for (auto const& one : heard)
            for (auto const& end : one.finished)
                ids.push_back(end.execution);
        return ids;
    }

    std::map<std::string, int> answers;
};

} // namespace

TEST_CASE("a client has its answer when its results are durable, and the master hears of them")
{
    fixture f;
    f.add_executions(2);
    f.send(std::vector{1, 2});
    CHECK(f.answers.empty());
    f.stage.time.run_for(100ms);
    CHECK(f.answers[""] == 1);
    CHECK(f.look("SELECT COUNT(*) FROM execution WHERE state = 'succeeded' AND node = 'node-1'") == "2");
    CHECK(f.finished() == std::vector{execution_id{1}, execution_id{2}});
}

TEST_CASE("an interruption is recorded and reported as such, unless the failure is final")
{
    fixture f;
    f.add_executions(3);
    protocol::results_request message;
    message.instance = "client";
    for (int const id : {1, 2, 3}) {
        auto one = fixture::result(id);
        one.status = id == 3 ? state::succeeded : state::failed;
        one.interrupted = true;
        one.final = id == 2;
        message.results.push_back(one);
    }
    f.send(message);
    f.stage.time.run_for(100ms);
    REQUIRE(f.finished().size() == 3);
    for (auto const& one : f.heard)
        for (auto const& end : one.finished)
            CHECK(end.interrupted == (end.execution == execution_id{1}));
    CHECK(f.look("SELECT outcome FROM execution WHERE id = 1") == "interrupted");
    CHECK(f.look("SELECT state FROM execution WHERE id = 1") == "retrying");
    CHECK(f.look("SELECT state FROM execution WHERE id = 2") == "failed");
    CHECK(f.look("SELECT state FROM execution WHERE id = 3") == "succeeded");
}

TEST_CASE("results that come one after the other share a transaction, but a result that comes alone does not wait")
{
    fixture f({.pause = 20ms});
    f.add_executions(10);
    f.send(std::vector{1});
    f.stage.time.run_for(15ms);
    CHECK(f.answers[""] == 1);
    auto const before = f.stage.database.calls();
    for (int id = 2; id <= 6; ++id)
        f.send(std::vector{id});
    CHECK(f.stage.database.calls() == before);
    f.stage.time.run_for(20ms);
    CHECK(f.answers[""] == 6);
    CHECK(f.stage.database.calls() - before == 1);
}

TEST_CASE("the results that arrive during a commit share the next one")
{
    fixture f;
    f.add_executions(50);
    auto const before = f.stage.database.calls();
    for (int id = 1; id <= 50; ++id)
        f.send(std::vector{id});
    f.stage.time.run_for(100ms);
    CHECK(f.answers[""] == 50);
    CHECK(f.stage.database.calls() - before <= 2);
}

TEST_CASE("a client keeps the results that the database could not take, and the master hears nothing of them")
{
    fixture f;
    f.add_executions(1);
    f.stage.database.crash_for(3s);
    f.send(std::vector{1});
    f.stage.time.run_for(10s);
    REQUIRE(f.answers.size() == 1);
    CHECK(f.answers.count("") == 0);
    CHECK(f.finished().empty());
    f.send(std::vector{1});
    f.stage.time.run_for(100ms);
    CHECK(f.answers[""] == 1);
}

TEST_CASE("a result that the database refuses keeps its outcome and loses its texts, and its neighbours keep theirs")
{
    fixture f;
    f.add_executions(3);
    f.exec("CREATE TRIGGER poison BEFORE UPDATE ON execution WHEN NEW.result LIKE '%poison%' "
           "BEGIN SELECT RAISE(ABORT, 'refused'); END");
    protocol::results_request message;
    message.instance = "client";
    for (int id : {1, 2, 3}) {
        auto one = f.result(id);
        one.value = protocol::json_text::checked(id == 2 ? R"("poison")" : R"("fine")");
        message.results.push_back(std::move(one));
    }
    f.send(std::move(message));
    f.stage.time.run_for(1s);
    CHECK(f.answers[""] == 1);
    CHECK(f.look("SELECT COUNT(*) FROM execution WHERE state = 'succeeded'") == "3");
    CHECK(f.look("SELECT COUNT(*) FROM execution WHERE result = '\"fine\"'") == "2");
    CHECK(f.look("SELECT error FROM execution WHERE id = 2").find("refused") != std::string::npos);
}

TEST_CASE("beyond its bound the node takes no more results until some are durable")
{
    results_settings settings;
    settings.queue_limit = 3;
    fixture f(settings);
    f.add_executions(8);
    f.send(std::vector{1, 2});
    f.send(std::vector{3, 4}); // one more than the bound
    f.stage.time.run_for(1s);
    CHECK(f.answers["too many results wait for the database"] == 1);
    CHECK(f.answers[""] == 1);
    f.send(std::vector{3, 4});
    f.stage.time.run_for(1s);
    CHECK(f.answers[""] == 2);
}

TEST_CASE("a malformed result is refused with its message, and others are not")
{
    fixture f;
    f.add_executions(1);
    f.send(std::vector{0});
    f.send(std::vector{1});
    f.stage.time.run_for(1s);
    CHECK(f.answers["execution must be the positive id of the dispatch"] == 1);
    CHECK(f.answers[""] == 1);
}

TEST_CASE("a value that is too large and a clock that runs ahead are corrected")
{
    fixture f;
    f.add_executions(1);
    protocol::results_request message;
    message.instance = "client";
    message.results.push_back(fixture::result(1));
    message.results.front().value = protocol::json_text::check('"' + std::string(300'000, 'x') + '"', "value");
    message.results.front().finished_at = to_micros(f.stage.database.utc() + 1h);
    f.send(std::move(message));
    f.stage.time.run_for(1s);
    CHECK(f.look("SELECT result FROM execution") == R"({"dropped":"the result was longer than 64 KiB"})");
    CHECK(std::stoll(f.look("SELECT finished_at FROM execution")) <= to_micros(f.stage.database.utc()));
}

TEST_CASE("a client whose times cannot be is named in the log once, and they are recorded within their bounds")
{
    fixture f;
    f.add_executions(2);
    int named = 0;
    auto const watched = log::take_over([&](log::level, std::string_view line) {
        named += line.find("a client reports that it ran an execution before that existed") != line.npos ? 1 : 0;
    });
    f.send({1});
    f.stage.time.run_for(1s);
    f.send({2});
    f.stage.time.run_for(1s);
    CHECK(named == 1);
    CHECK(std::stoll(f.look("SELECT MIN(started_at) FROM execution")) >= to_micros(made_at(execution_id{1})));
    CHECK(f.look("SELECT COUNT(*) FROM execution WHERE finished_at < started_at") == "0");
}

TEST_CASE("a value of 64 KiB is recorded, and an error that is too long is cut between two characters")
{
    fixture f;
    f.add_executions(1);
    protocol::results_request message;
    message.instance = "client";
    message.results.push_back(fixture::result(1));
    auto const value = '"' + std::string((64u << 10) - 2, 'x') + '"';
    message.results.front().value = protocol::json_text::check(value, "value");
    message.results.front().error = std::string((16u << 10) - 1, 'x') + "\xc3\xbc";
    f.send(std::move(message));
    f.stage.time.run_for(1s);
    CHECK(f.look("SELECT result FROM execution") == value);
    CHECK(f.look("SELECT error FROM execution") == std::string((16u << 10) - 1, 'x'));
}

TEST_CASE("a result that cannot be recorded is refused by the name of its field")
{
    fixture f;
    auto const field = [&](auto change) {
        protocol::results_request message;
        message.instance = "client";
        message.results.push_back(fixture::result(1));
        change(message.results.front());
        std::string named;
        auto const send = [&]() -> awaitable<void> {
            try {
                co_await f.results->take(message);
            } catch (invalid_input const& wrong) {
                named = wrong.field();
            }
        };
        f.stage.play(send());
        return named;
    };
    CHECK(field([](auto& one) { one.status = state::planned; }) == "status");
    CHECK(field([](auto& one) { one.status = state::retrying; }) == "status");
    CHECK(field([](auto& one) { one.attempt = 0; }) == "attempt");
    CHECK(field([](auto& one) { one.execution = execution_id{}; }) == "execution");
}

TEST_CASE("a report is repeated until a master takes it, and a new epoch drops what the old one waited for")
{
    fixture f;
    f.master_answers = false;
    protocol::delivered one;
    one.execution = execution_id{1};
    one.client = "client";
    f.report->delivered(one);
    f.report->finished({execution_id{2}, 1, state::succeeded, 1});
    f.stage.time.run_for(1s);
    CHECK(f.heard.empty());
    SECTION("the same epoch")
    {
        f.master_answers = true;
        f.stage.time.run_for(1s);
        REQUIRE(f.heard.size() == 1);
        CHECK(f.heard[0].delivered.size() == 1);
        CHECK(f.heard[0].finished.size() == 1);
        CHECK(f.heard[0].term.epoch == 5);
    }
    SECTION("a new epoch")
    {
        f.report->new_term({1, 6});
        f.master_answers = true;
        f.stage.time.run_for(1s);
        REQUIRE(f.heard.size() == 1);
        CHECK(f.heard[0].delivered.empty()); // the new master asks the clients itself
        CHECK(f.heard[0].finished.size() == 1);
        CHECK(f.heard[0].term.epoch == 6);
    }
}

TEST_CASE("a node forgets an attempt when the master has its report and no earlier message can bring it again")
{
    fixture f;
    REQUIRE(f.known.take(9, {}));
    f.known.set(execution_id{1}, {1, fate::delivered});
    f.known.set(execution_id{2}, {1, fate::waiting});
    protocol::delivered one;
    one.execution = execution_id{1};
    one.attempt = 1;
    f.report->delivered(one);
    one.execution = execution_id{2};
    f.report->delivered(one);
    f.stage.time.run_for(100ms);
    CHECK(f.known.find(execution_id{1}) == nullptr);
    CHECK(f.known.find(execution_id{2}) != nullptr); // it has been assigned again meanwhile
}

} // namespace results_test
