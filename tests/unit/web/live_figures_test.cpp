// What home nodes tell web of their clients.

#include "libs/base/task_group.hpp"
#include "tests/unit/web/harness.hpp"
#include "web/live_figures.hpp"

#include <functional>

namespace live_figures_test {

using namespace baton;
using namespace baton::test;

namespace {

// Nodes that answer for their clients after a while.
class nodes_of_clients final : public http::client {
public:
    explicit nodes_of_clients(time_source& time) : time_(time) {}

    awaitable<http::response> send(http::url to, http::request message, duration limit) override
    {
        auto const wanted = nlohmann::json::parse(message.body).get<protocol::figures_request>();
        asked.push_back({to.text(), message.headers.find("Authorization").value_or(""), wanted.instances});
        co_await time_.sleep_for(std::min<duration>(takes, limit));
        if (silent.contains(to.text()))
            throw http::unreachable("no answer within 300 ms", true);
        protocol::figures_answer told;
        for (auto const& instance : wanted.instances)
            if (!strange.contains(instance))
                told.clients.push_back({instance, 1'500, -1, 3, 5, 0});
        co_return http::json_response(200, told);
    }

    struct question {
        std::string to;
        std::string authorization;
        std::vector<std::string> instances;
    };
    std::vector<question> asked;
    std::set<std::string> silent;  // addresses
    std::set<std::string> strange; // instances that no node names
    duration takes = 1ms;

private:
    time_source& time_;
};

storage::client_record client(std::string instance, std::string home)
{
    storage::client_record row;
    row.instance = std::move(instance);
    row.node = std::move(home);
    return row;
}

struct fixture {
    store data{storage::engine::sqlite};
    system_time time;
    std::unique_ptr<storage::database> shared;
    nodes_of_clients http{time};

    fixture()
    {
        data.migrated();
        shared = data.open();
    }
    void add_node(std::string const& name, duration ttl = 60s)
    {
        storage::node_record node;
        node.incarnation = name;
        node.name = name;
        node.address = "http://" + name + ":1";
        node.secret = "secret of " + name;
        node.role = "slave";
        node.ttl = ttl;
        node.started_at = time.utc();
        storage::nodes all(*shared);
        wait_for(all.beat(node));
    }
    web::live_figures figures(duration keep, duration answer = 300ms) { return {time, *shared, http, {answer, keep}}; }
};

} // namespace

TEST_CASE(
    "each home is asked for its own clients, with its own secret, and the answers come in the order of the clients")
{
    fixture f;
    f.add_node("a");
    f.add_node("b");
    auto all = f.figures(1h);
    auto const told = wait_for(all.of({client("c1", "a"), client("c2", "b"), client("c3", "a")}));
    REQUIRE(f.http.asked.size() == 2);
    CHECK(f.http.asked[0].to == "http://a:1");
    CHECK(f.http.asked[0].authorization == "Bearer secret of a");
    CHECK(f.http.asked[0].instances == std::vector<std::string>{"c1", "c3"});
    CHECK(f.http.asked[1].instances == std::vector<std::string>{"c2"});
    REQUIRE(told.size() == 3);
    for (std::size_t i = 0; i < told.size(); ++i) {
        REQUIRE(told[i].figures);
        CHECK(told[i].figures->instance == "c" + std::to_string(i + 1));
        CHECK(told[i].figures->heard_ms >= 1'500); // older by the age of the answer
        CHECK(told[i].figures->answered_ms == -1);
        CHECK(told[i].figures->free_slots == 3);
    }
}

TEST_CASE("many callers at a time cost a node one question, as do those that follow while its answer is kept")
{
    fixture f;
    f.add_node("a");
    f.http.takes = 20ms;
    auto all = f.figures(1h, 10s);
    std::size_t known = 0;
    auto const ask = [&]() -> awaitable<void> {
        std::vector<storage::client_record> const of{client("c1", "a"), client("c2", "a")};
        auto const told = co_await all.of(of);
        known += told[0].figures && told[1].figures ? 1 : 0;
    };
    asio::io_context loop;
    for (int i = 0; i < 200; ++i)
        asio::co_spawn(loop, ask(), asio::detached);
    loop.run();
    CHECK(known == 200);
    wait_for(ask());
    CHECK(known == 201);
    CHECK(f.http.asked.size() == 1);
}

TEST_CASE("an answer is not kept for longer than it may be")
{
    fixture f;
    f.add_node("a");
    auto all = f.figures(0s, 10s);
    for (int i = 0; i < 2; ++i)
        wait_for(all.of({client("c1", "a")}));
    CHECK(f.http.asked.size() == 2);
}

TEST_CASE("a node that does not answer is not asked again at once, and the clients of others are shown all the same")
{
    fixture f;
    f.add_node("a");
    f.add_node("b");
    f.http.silent.insert("http://a:1");
    auto all = f.figures(1h);
    std::vector<storage::client_record> const of{client("c1", "a"), client("c2", "b")};
    wait_for(all.of(of));
    auto const told = wait_for(all.of(of));
    CHECK_FALSE(told[0].figures);
    CHECK(told[0].why == "node a did not return the figures: no answer within 300 ms");
    CHECK(told[0].failure == web::node_failure::no_answer);
    CHECK(told[1].figures);
    CHECK(f.http.asked.size() == 2);
}

TEST_CASE("a client whose home is unknown, counts as gone or does not hear it has no figures, and the reason is told")
{
    fixture f;
    f.add_node("a");
    f.add_node("dead", -1us); // older than its time to live from the beginning
    f.http.strange.insert("c3");
    auto all = f.figures(1h);
    auto const told = wait_for(all.of({client("c1", "dead"), client("c2", "nowhere"), client("c3", "a")}));
    REQUIRE(told.size() == 3);
    for (auto const& one : told)
        CHECK_FALSE(one.figures);
    CHECK(told[0].why == "node dead counts as gone");
    CHECK(told[0].failure == web::node_failure::node_gone);
    CHECK(told[2].failure == web::node_failure::client_unknown);
    CHECK(told[1].why == "its node is not known");
    CHECK(told[2].why == "node a is not its home any more");
    CHECK(f.http.asked.size() == 1);
}

TEST_CASE("an answer that is no message of the protocol counts as none")
{
    fixture f;
    f.add_node("a");
    web::test::recording_client other; // answers without a body
    web::live_figures all(f.time, *f.shared, other, {});
    auto const told = wait_for(all.of({client("c1", "a")}));
    CHECK_FALSE(told[0].figures);
    CHECK(told[0].why == "node a did not return the figures: it answered with status 200 and no figures");
    CHECK(told[0].failure == web::node_failure::refused);
}

} // namespace live_figures_test
