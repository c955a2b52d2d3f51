// A whole term at one node, whose other node and clients are played by the test: what the master makes of reports,
// departures and cancels.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/master.hpp"

#include <catch2/catch.hpp>

namespace master_test {

using namespace baton;
using namespace baton::trigger;
using protocol::return_cause;
using test::ids;

namespace {

struct no_questions final : local_questions {
    awaitable<protocol::ask_answer> ask(protocol::ask_request) override { co_return protocol::ask_answer{}; }
    void cancel(protocol::cancel_at_request) override {}
};

struct no_claims final : epoch_claims {
    void refused_by(protocol::term_id, std::string const&) override {}
};

struct fixture : test::node_stage {
    no_questions questions;
    no_claims epochs;
    election_trace trace{"", "master", "master"};
    std::unique_ptr<storage::database> signals;
    std::unique_ptr<http::client> http;
    std::optional<term_log> log;
    std::optional<trigger::master> lead;

    // The assignments that n1 got, and its answers to other messages.
    std::vector<protocol::assign_request> assigned;
    std::vector<execution_id> withdrawn;        // n1 gives these back
    std::vector<protocol::held_execution> held; // by the client that answers
    std::string client = "a";                   // that answers; empty: none does
    std::vector<execution_id> cancelled;        // at the clients of n1

    // So many executions are due one after the other, ten milliseconds apart.
    explicit fixture(int executions = 1, nlohmann::json const& task = nlohmann::json::object()) : node_stage(1)
    {
        signals = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
        http = stage.net.client_for(host);
        log.emplace(term_log::identity{"master", "master"}, *shared, *shared, host.time(), clock);
        stage.net.attach(named("n1").host, http::parse_url("http://n1:7800"),
                         [this](http::request const& message) { return answer(message.path(), message.body); });
        add_client("a", "n1");
        add_task(1, task);
        for (int id = 1; id <= executions; ++id)
            add_execution(id, 1, 3);
        auto const first = std::to_string(to_micros(stage.database.utc()) + 500'000);
        exec("UPDATE execution SET due_at = " + first + " + id * 10000, scheduled_at = " + first + " + id * 10000");
        lead.emplace(
            master_settings{}, of,
            master::dependencies{
                {view(), questions, here, *http, epochs, trace}, *ledger, *shared, *signals, node_stage::ids, *log},
            stage.loop.get_executor());
        host.spawn(lead->run());
        pass(100ms);
        report({});
        pass(1s);
    }
    ~fixture() { stage.end(); }

    awaitable<http::response> answer(std::string path, std::string body)
    {
        if (path == protocol::path_assign) {
            protocol::assign_request message;
            from_text(body, message);
            auto const count = static_cast<int>(message.executions.size());
            assigned.push_back(std::move(message));
            co_return http::json_response(200, protocol::assign_answer{of.id(), count});
        }
        if (path == protocol::path_ask) {
            protocol::ask_answer out;
            if (!client.empty())
                out.answered.push_back({client, held});
            co_return http::json_response(200, out);
        }
        if (path == protocol::path_stop)
            co_return http::json_response(200, protocol::executions_request{of.id(), withdrawn});
        if (path == protocol::path_cancel_at) {
            auto const message = http::parse_json(body).get<protocol::cancel_at_request>();
            cancelled.insert(cancelled.end(), message.executions.begin(), message.executions.end());
        }
        co_return http::json_response(200, protocol::announce_answer{of.id(), {}});
    }

    // A report of n1, which can take ten executions.
    protocol::report_answer report(protocol::report_request one)
    {
        one.node = "n1";
        if (one.term == protocol::term_id{})
            one.term = of.id();
        one.capacity = room(10, 10, ++told);
        return lead->report(one);
    }
    std::int64_t told = 0;

    protocol::report_answer delivered(int id, int attempt = 1, int holds = 0)
    {
        protocol::report_request one;
        one.delivered.push_back({execution_id{id}, attempt, client, holds});
        return report(one);
    }
    void request_cancel(int id)
    {
        auto const number = std::to_string(id);
        exec("UPDATE execution SET cancel_requested_at = 1 WHERE id = " + number);
        exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (" + number + ", 'cancel', " + number + ", " +
             std::to_string(to_micros(stage.database.utc())) + ")");
        lead->signal();
    }
    // The client of execution 1 counts as gone and returns under another name, while its handler still runs.
    void return_under_another_name()
    {
        delivered(1);
        bury_client("a");
        lead->client_gone("a");
        add_client("b", "n1");
        client = "b";
        held = {{execution_id{1}, 1, false, false}};
        pass(3s);
        delivered(1, 2, 1);
    }
    void undelivered(int id, return_cause cause, std::int64_t number = 1)
    {
        protocol::report_request one;
        one.undelivered.push_back({execution_id{id}, 1, cause, "a", "because", number});
        report(one);
    }
    int attempt(int id = 1)
    {
        return static_cast<int>(number("SELECT attempt FROM execution WHERE id = " + std::to_string(id)));
    }
    // The executions of all assignments, in order.
    std::vector<execution_id> fired() const
    {
        std::vector<execution_id> out;
        for (auto const& message : assigned)
            for (auto const& one : message.executions)
                out.push_back(one.work.execution);
        return out;
    }
};

} // namespace

TEST_CASE("a due execution is assigned once, and the node learns which assignment numbers it may forget")
{
    fixture f(2);
    CHECK(f.fired() == ids({1, 2}));
    CHECK(f.assigned.front().term == f.of.id());
    CHECK(f.delivered(1).assigned == f.assigned.back().number + 1);
    CHECK(f.lead->open() == 2);
}

TEST_CASE("returned work goes out again as the same attempt, but not by a late repetition of the return")
{
    fixture f;
    REQUIRE(f.assigned.size() == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number);
    f.pass(300ms);
    REQUIRE(f.assigned.size() == 2);
    CHECK(f.assigned.back().executions.front().work.attempt == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.front().number); // the first return again
    f.pass(1s);
    CHECK(f.assigned.size() == 2);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number);
    f.pass(300ms);
    CHECK(f.assigned.size() == 3);
    CHECK(f.attempt() == 1);
}

TEST_CASE("a report about an attempt other than the assigned one changes nothing")
{
    fixture f;
    protocol::report_request one;
    one.undelivered.push_back({execution_id{1}, 2, return_cause::impossible, "", "", 1});
    one.undelivered.push_back({execution_id{7}, 1, return_cause::impossible, "", "", 1});
    f.report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.assigned.size() == 1);
    f.delivered(1, 2);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number); // counts, so no client has attempt 1
    f.pass(500ms);
    CHECK(f.assigned.size() == 2);
}

TEST_CASE("a node that does not have the assignment cannot end or move the work of the one that has it")
{
    fixture f;
    auto const cause = GENERATE(return_cause::impossible, return_cause::client_gone, return_cause::in_doubt);
    protocol::report_request one;
    one.node = "n2";
    one.term = f.of.id();
    one.undelivered.push_back({execution_id{1}, 1, cause, "a", "because", 1});
    f.lead->report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.attempt() == 1);
    f.undelivered(1, return_cause::no_room, f.assigned.back().number); // counts, so it is still assigned to n1
    f.pass(500ms);
    CHECK(f.assigned.size() == 2);
}

TEST_CASE("a report of another term is void, but for the ends that it names")
{
    fixture f(2);
    protocol::report_request one;
    one.term = {1, 4};
    one.undelivered.push_back({execution_id{1}, 1, return_cause::impossible, "", "", 1});
    one.finished.push_back({execution_id{2}, 1, protocol::state::succeeded, 1});
    f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 2");
    f.report(one);
    f.pass(500ms);
    CHECK(f.state(1) == "planned");
    CHECK(f.lead->open() == 1);
}

TEST_CASE("work that no client can ever take fails with the node's reason")
{
    fixture f;
    f.undelivered(1, return_cause::impossible);
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT error FROM execution WHERE id = 1") == "because");
    CHECK(f.lead->open() == 0);
}

TEST_CASE("work whose size a client refuses fails only when all clients that serve it, or three, have refused it")
{
    CHECK_FALSE(fails_for_size(1, 2, 1));
    CHECK(fails_for_size(2, 2, 2));
    CHECK(fails_for_size(1, 1, 1));
    CHECK(fails_for_size(1, 0, 1)); // the one that refused it is gone
    CHECK_FALSE(fails_for_size(2, 100, 2));
    CHECK(fails_for_size(3, 100, 3));
    CHECK(fails_for_size(1, 100, 10));
}

TEST_CASE("work whose size one of two clients refuses goes out again, and fails when the other one refuses it")
{
    fixture f;
    f.add_client("b", "n1");
    f.pass(3s);
    auto const refuse = [&f](std::string const& client) {
        protocol::report_request one;
        one.undelivered.push_back({execution_id{1}, 1, return_cause::impossible, client, "too large", 0});
        one.undelivered.push_back({execution_id{1}, 1, return_cause::no_room, "", "", f.assigned.back().number});
        f.report(one);
    };
    refuse("a");
    f.pass(500ms);
    CHECK(f.assigned.size() == 1);
    f.pass(1s);
    REQUIRE(f.assigned.size() == 2);
    CHECK(f.assigned.back().executions.front().work.attempt == 1);
    refuse("a");
    f.pass(2s);
    REQUIRE(f.assigned.size() == 3);
    CHECK(f.state(1) == "planned");
    refuse("b");
    f.pass(500ms);
    CHECK(f.state(1) == "failed");
    CHECK(f.text("SELECT error FROM execution WHERE id = 1") == "too large");
}

TEST_CASE("work whose client is gone goes out as the next attempt, and the death is counted")
{
    fixture f;
    SECTION("before it had it for certain")
    {
        f.undelivered(1, return_cause::client_gone);
    }
    SECTION("by a notice of its departure")
    {
        f.delivered(1);
        f.lead->client_gone("a");
    }
    f.pass(500ms);
    CHECK(f.attempt() == 2);
    CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 1);
}

TEST_CASE("a client that leaves costs no other client's work anything")
{
    fixture f;
    f.delivered(1);
    f.lead->client_gone("b");
    f.pass(500ms);
    CHECK(f.attempt() == 1);
}

TEST_CASE("work in doubt is asked for at the present home of its clients")
{
    fixture f;
    SECTION("a client has it")
    {
        f.held = {{execution_id{1}, 1, false, false}};
        f.undelivered(1, return_cause::in_doubt);
        f.pass(1s);
        CHECK(f.attempt() == 1);
        CHECK(f.assigned.size() == 1);
    }
    SECTION("no client has it")
    {
        f.undelivered(1, return_cause::in_doubt);
        f.pass(1s);
        CHECK(f.attempt() == 2);
        CHECK(f.assigned.size() == 2);
        CHECK(f.assigned.back().executions.front().work.attempt == 2);
    }
}

TEST_CASE("a client that runs an earlier attempt is waited for")
{
    fixture f;
    f.held = {{execution_id{1}, 0, false, false}};
    f.delivered(1, 1, 1);
    f.pass(3s);
    CHECK(f.attempt() == 1);
    CHECK(f.assigned.size() == 1);
}

TEST_CASE("the limits of an execution hold while its client runs an earlier attempt")
{
    nlohmann::json const limited{
        {"timeout_ms", 5'000}, {"stop_grace_ms", 2'000}, {"concurrency", {{"limit", 1}, {"when_full", "wait"}}}};
    auto const unresponsive = "SELECT client || ' ' || attempt FROM unresponsive WHERE execution_id = 1";
    SECTION("its timeout and its grace period")
    {
        fixture f(1, limited);
        f.return_under_another_name();
        f.pass(6s);
        CHECK(f.state(1) == "stopping");
        f.pass(2s);
        CHECK(f.state(1) == "timed_out");
        CHECK(f.text(unresponsive) == "b 1");
        CHECK(f.lead->open() == 0);
    }
    SECTION("a cancel")
    {
        fixture f(1, limited);
        f.return_under_another_name();
        f.request_cancel(1);
        f.pass(500ms);
        CHECK(f.cancelled == ids({1}));
        f.pass(3s);
        CHECK(f.state(1) == "cancelled");
        CHECK(f.text(unresponsive) == "b 1");
    }
    SECTION("the limit of the whole execution")
    {
        fixture f(1, {{"limits", {{"total_ms", 8'000}}}});
        f.return_under_another_name();
        f.pass(6s);
        CHECK(f.state(1) == "timed_out");
        CHECK(f.text(unresponsive) == "b 1");
    }
}

TEST_CASE("an execution whose client runs an earlier attempt goes out again when that has ended")
{
    fixture f(2, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    f.return_under_another_name();
    f.pass(10s);
    CHECK(f.attempt() == 2);
    SECTION("by its handler")
    {
        f.held.clear();
        f.pass(5s);
        CHECK(f.attempt() == 3);
        CHECK(f.number("SELECT deaths FROM execution WHERE id = 1") == 1);
    }
    SECTION("with the client")
    {
        f.add_client("c", "n1");
        f.client = "c";
        f.held.clear();
        f.bury_client("b");
        f.lead->client_gone("b");
        f.pass(5s);
        CHECK(f.attempt() == 3);
    }
    SECTION("with a success, which ends the execution and gives its place to the next one")
    {
        f.exec("UPDATE execution SET state = 'succeeded', due_at = NULL WHERE id = 1");
        protocol::report_request one;
        one.finished.push_back({execution_id{1}, 1, protocol::state::succeeded, 1});
        f.report(one);
        f.pass(500ms);
        CHECK(f.fired().back() == execution_id{2});
    }
}

TEST_CASE("an execution whose client runs an earlier attempt, and is not in the directory yet, opens no attempts")
{
    fixture f;
    f.bury_client("a");
    f.lead->client_gone("a");
    f.client = "b"; // which has just come back under this name
    f.held = {{execution_id{1}, 0, false, false}};
    std::size_t answered = 0;
    for (int i = 0; i < 90; ++i) {
        for (; answered < f.assigned.size(); ++answered)
            f.delivered(1, f.attempt(), f.attempt() == 1 ? 1 : f.attempt() - 1);
        f.pass(10ms);
    }
    CHECK(f.attempt() == 1);
    f.add_client("b", "n1");
    f.pass(3s);
    CHECK(f.attempt() == 1);
}

TEST_CASE("no number of answers that an execution is unknown opens attempts without pauses")
{
    fixture f;
    std::size_t answered = 0;
    for (int i = 0; i < 1'000; ++i) {
        for (; answered < f.assigned.size(); ++answered) {
            protocol::report_request one;
            one.undelivered.push_back(
                {execution_id{1}, f.attempt(), return_cause::in_doubt, "a", "because", f.assigned.back().number});
            f.report(one);
        }
        f.pass(10ms);
    }
    CHECK(f.attempt() > 2);
    CHECK(f.attempt() <= 6);
}

TEST_CASE("an execution that a node gives back when it is to be cancelled ends as cancelled")
{
    fixture f;
    f.withdrawn = ids({1});
    f.request_cancel(1);
    f.pass(1s);
    CHECK(f.state(1) == "cancelled");
    CHECK(f.lead->open() == 0);
}

TEST_CASE("the client that has an execution is told to cancel it, and its result decides")
{
    fixture f;
    f.delivered(1);
    f.request_cancel(1);
    f.pass(500ms);
    CHECK(f.cancelled == ids({1}));
    CHECK(f.state(1) == "planned");
}

TEST_CASE("an edit that raises a concurrency limit, or removes it, admits at once")
{
    fixture f(4, {{"concurrency", {{"limit", 1}, {"when_full", "wait"}}}});
    f.delivered(1);
    f.pass(1s);
    REQUIRE(f.fired() == ids({1}));
    auto const edit = [&f](std::string const& version, nlohmann::json const& concurrency) {
        auto const definition = nlohmann::json{
            {"name", "t1"},
            {"service", "s"},
            {"handler", "h"},
            {"schedule", {{"kind", "fixed_rate"}, {"every_ms", 60'000}}},
            {"concurrency",
             concurrency}}.dump();
        f.exec("UPDATE task SET version = " + version + ", definition = '" + definition + "' WHERE id = 1");
        f.exec("INSERT INTO `signal` (id, kind, subject, created_at) VALUES (" + version + ", 'task', 1, " +
               std::to_string(to_micros(f.stage.database.utc())) + ")");
        f.lead->signal();
        f.pass(500ms);
    };
    edit("2", {{"limit", 3}, {"when_full", "wait"}});
    CHECK(f.fired() == ids({1, 2, 3}));
    edit("3", {{"limit", 0}});
    CHECK(f.fired() == ids({1, 2, 3, 4}));
}

TEST_CASE("a term whose fence a newer master has raised ends by itself")
{
    fixture f;
    CHECK(f.lead->open() == 1);
    f.exec("UPDATE lock_fence SET epoch = 6");
    bool ended = false;
    trigger::master second(master_settings{}, f.of,
                           {{f.view(), f.questions, f.here, *f.http, f.epochs, f.trace},
                            *f.ledger,
                            *f.shared,
                            *f.signals,
                            f.node_stage::ids,
                            *f.log},
                           f.stage.loop.get_executor());
    f.host.spawn(second.run(), [&] { ended = true; });
    f.pass(1s);
    CHECK(ended);
    CHECK(second.open() == 0);
}

} // namespace master_test
