// Handlers that outlive their executions: the questions to their clients, on doubles of the calls to nodes.

#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/unresponsive_handlers.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace unresponsive_handlers_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fixture : test::node_stage {
    std::vector<execution_id> forgotten;
    std::set<execution_id> returned; // handlers; the others run on
    bool clients_answer = true;
    unresponsive_handlers handlers{
        scope(), calls, book, {[](auto const&, auto const&) {}, [this](execution_id id) { forgotten.push_back(id); }}};

    explicit fixture(int others = 1) : node_stage(others)
    {
        add_task(1);
        for (int i = 1; i <= others; ++i)
            calls.questions["n" + std::to_string(i)] = [this](auto const& request) { return answer(request); };
        host.spawn(handlers.run());
    }
    ~fixture() { stage.end(); }

    protocol::ask_answer answer(protocol::ask_request const& request) const
    {
        protocol::ask_answer out;
        if (!clients_answer)
            return out;
        auto& said = out.answered.emplace_back();
        said.instance = request.instances.front();
        for (std::size_t i = 0; i < request.executions.size(); ++i) {
            auto const id = request.executions[i];
            bool const ended = returned.contains(id);
            said.held.push_back({id, request.attempts[i], ended, ended});
        }
        return out;
    }
    static storage::unresponsive_attempt attempt(int id, std::string client)
    {
        return {execution_id{id}, 1, std::move(client)};
    }
    // Its execution has ended, and the handler runs on.
    void add(int id, std::string const& client)
    {
        exec("INSERT INTO unresponsive (execution_id, namespace, attempt, client, since) VALUES (" +
             std::to_string(id) + ", 1, 1, '" + client + "', 1)");
        handlers.add(attempt(id, client));
    }
    std::int64_t rows() { return number("SELECT COUNT(*) FROM unresponsive"); }
    std::size_t asked(std::string const& node) const
    {
        return static_cast<std::size_t>(std::count_if(calls.asked.begin(), calls.asked.end(),
                                                      [&](auto const& each) { return each.first == node; }));
    }
};

} // namespace

TEST_CASE("a handler that runs on is asked to stop again, and counts until its client says that it has returned")
{
    fixture f;
    f.add_client("c", "n1");
    f.add(1, "c");
    f.add(2, "c");
    f.returned = {execution_id{2}};
    f.pass(3s);
    CHECK(f.forgotten == ids({2}));
    CHECK(f.calls.cancelled["c"] == ids({1}));
    CHECK(f.handlers.has(execution_id{1}));
    CHECK_FALSE(f.handlers.has(execution_id{2}));
    CHECK(f.rows() == 1);
}

TEST_CASE("a handler whose execution an earlier attempt has ended gets a row, and counts until it has returned")
{
    fixture f;
    f.add_client("c", "n1");
    f.add_execution(1, 1);
    f.exec("UPDATE execution SET due_at = NULL, state = 'succeeded', attempt = 2 WHERE id = 1");
    storage::unresponsive_attempt one{execution_id{1}, 2, "c"};
    f.handlers.outlives(one);
    CHECK(f.handlers.has(execution_id{1}));
    f.pass(3s);
    CHECK(f.text("SELECT client || attempt FROM unresponsive") == "c2");
    CHECK(f.calls.cancelled["c"] == ids({1}));
    f.returned = {execution_id{1}};
    f.pass(3s);
    CHECK(f.rows() == 0);
    CHECK(f.forgotten == ids({1}));
}

TEST_CASE("a client that does not answer keeps its handlers, and delays the question to no other client")
{
    fixture f(2);
    f.add_client("mute", "n1");
    f.add_client("well", "n2");
    f.add(1, "mute");
    f.add(2, "well");
    f.returned = {execution_id{1}, execution_id{2}};
    f.calls.questions.erase("n1");
    f.pass(20s);
    CHECK(f.forgotten == ids({2}));
    CHECK(f.handlers.has(execution_id{1}));
}

TEST_CASE("a client is asked once at a time, however long its answer takes")
{
    fixture f;
    f.add_client("c", "n1");
    f.add(1, "c");
    f.calls.takes = 15s;
    f.pass(40s);
    CHECK(f.calls.most_at_once["n1"] == 1);
    CHECK(f.asked("n1") == 3);
}

TEST_CASE("the clients that are asked at a time are bounded, and so are the executions of a question")
{
    constexpr int clients = 100;
    constexpr int handlers_of_the_first = 1'500;
    fixture f;
    for (int i = 1; i <= clients; ++i) {
        auto const name = "c" + std::to_string(1'000 + i);
        f.add_client(name, "n1");
        f.add(10'000 + i, name);
    }
    for (int i = 1; i <= handlers_of_the_first; ++i)
        f.add(i, "c1001");
    f.calls.takes = 1s;
    f.pass(2900ms);
    CHECK(f.calls.most_at_once["n1"] == 64);
    std::size_t longest = 0;
    for (auto const& [node, request] : f.calls.asked)
        longest = std::max(longest, request.executions.size());
    CHECK(longest == 1'000);
    for (int i = 1; i <= 20'000; ++i)
        f.returned.insert(execution_id{i});
    f.pass(20s);
    CHECK(f.forgotten.size() == clients + handlers_of_the_first);
    CHECK(f.rows() == 0);
}

TEST_CASE("a handler that has no row yet is asked about only when it has")
{
    fixture f;
    f.add_client("c", "n1");
    f.returned = {execution_id{1}};
    f.handlers.expect(fixture::attempt(1, "c"));
    CHECK(f.handlers.has(execution_id{1}));
    f.pass(5s);
    CHECK(f.calls.asked.empty());
    CHECK(f.handlers.has(execution_id{1}));
    f.add(1, "c");
    f.pass(3s);
    CHECK(f.forgotten == ids({1}));
}

TEST_CASE("a handler that gets no row frees its place only if its execution has ended")
{
    fixture f;
    f.add_execution(1, 1);
    f.load();
    f.handlers.expect(fixture::attempt(1, "c"));
    f.handlers.expect(fixture::attempt(2, "c"));
    f.handlers.drop(execution_id{1}); // it goes on
    f.handlers.drop(execution_id{2});
    CHECK(f.forgotten == ids({2}));
    CHECK_FALSE(f.handlers.has(execution_id{1}));
}

TEST_CASE("a client that the master has not read yet does not count as gone")
{
    fixture f;
    f.add(1, "c");
    f.pass(10s);
    CHECK(f.handlers.has(execution_id{1}));
    f.add_client("another", "n1"); // a reading that finds no such client
    f.pass(3s);
    CHECK(f.forgotten == ids({1}));
}

TEST_CASE("what has returned while the database is down counts no more when it is back")
{
    fixture f;
    f.add_client("c", "n1");
    f.add(1, "c");
    f.pass(1s);
    f.returned = {execution_id{1}};
    f.stage.database.crash_for(10s);
    f.pass(9s);
    CHECK(f.handlers.has(execution_id{1}));
    f.pass(8s);
    CHECK(f.forgotten == ids({1}));
    CHECK(f.rows() == 0);
}

} // namespace unresponsive_handlers_test
