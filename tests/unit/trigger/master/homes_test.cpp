// The master's calls to nodes over a simulated network.

#include "libs/protocol/revision.hpp"
#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/homes.hpp"

#include <catch2/catch.hpp>

namespace homes_test {

using namespace baton;
using namespace baton::trigger;
using test::ids;

namespace {

struct fake_questions final : local_questions {
    awaitable<protocol::ask_answer> ask(protocol::ask_request request) override
    {
        protocol::ask_answer out;
        for (auto const& instance : request.instances)
            out.answered.push_back({instance, {}});
        co_return out;
    }
    void cancel(protocol::cancel_at_request request) override { cancelled.push_back(std::move(request)); }
    std::vector<protocol::cancel_at_request> cancelled;
};

struct fake_claims final : epoch_claims {
    void refused_by(protocol::term_id term, std::string const& refuser) override
    {
        claimed.push_back(term.epoch);
        named = refuser;
    }
    std::vector<std::int64_t> claimed;
    std::string named; // the last refuser
};

struct fixture : test::node_stage {
    fake_questions questions;
    fake_claims epochs;
    election_trace trace{"", "master", "master"};
    std::unique_ptr<http::client> http;
    std::optional<trigger::homes> homes;
    std::vector<http::request> received; // by n1
    http::response reply;

    fixture() : node_stage(1)
    {
        http = stage.net.client_for(host);
        homes.emplace(scope(), node_parts{view(), questions, here, *http, epochs, trace}, 2s);
    }
    ~fixture() { stage.end(); }

    void listen()
    {
        stage.net.attach(named("n1").host, http::parse_url("http://n1:7800"), [this](http::request const& message) {
            received.push_back(message);
            return answer();
        });
    }
    awaitable<http::response> answer() { co_return reply; }
    void answer_with(int status, nlohmann::json const& body)
    {
        reply.status = status;
        reply.body = body.dump();
    }
    node_calls::assign_outcome assign(std::string const& node = "n1")
    {
        protocol::assign_request message;
        message.term = of.id();
        message.number = 1;
        node_calls::assign_outcome out;
        auto scene = [&]() -> awaitable<void> {
            auto text = to_text(message);
            out = co_await homes->assign(node, std::move(text));
        };
        stage.play(scene());
        return out;
    }
};

} // namespace

TEST_CASE("a call shows the secret of its node, and the revision of the messages")
{
    fixture f;
    f.listen();
    f.answer_with(200, protocol::assign_answer{f.of.id(), 3});
    auto const got = f.assign();
    CHECK(got.status == 200);
    CHECK(got.accepted == 3);
    CHECK_FALSE(got.maybe_there);
    REQUIRE(f.received.size() == 1);
    CHECK(f.received[0].path() == protocol::path_assign);
    CHECK(f.received[0].headers.find("Authorization") == "Bearer secret of n1");
    CHECK(f.received[0].headers.find(protocol::revision_header) == std::to_string(protocol::wire_revision));
}

TEST_CASE("a node that knows a higher epoch refuses, and the epoch is claimed")
{
    fixture f;
    f.listen();
    f.answer_with(409, protocol::epoch_message{{1, 9}});
    auto const got = f.assign();
    CHECK(got.status == 409);
    CHECK_FALSE(got.maybe_there);
    CHECK(f.epochs.claimed == std::vector<std::int64_t>{9});
    CHECK(f.epochs.named.starts_with("node "));
}

TEST_CASE("an assignment may have arrived, unless the connection was refused")
{
    fixture f;
    SECTION("refused")
    {
        auto const got = f.assign();
        CHECK_FALSE(got.status);
        CHECK_FALSE(got.maybe_there);
    }
    SECTION("the answer was lost")
    {
        f.listen();
        f.stage.net.faults.lose_reply = 1;
        auto const got = f.assign();
        CHECK_FALSE(got.status);
        CHECK(got.maybe_there);
    }
    SECTION("the answer cannot be read")
    {
        f.listen();
        f.reply.body = "<html>";
        auto const got = f.assign();
        CHECK_FALSE(got.status);
        CHECK(got.maybe_there);
    }
    SECTION("the node is not known")
    {
        auto const got = f.assign("n7");
        CHECK_FALSE(got.status);
        CHECK_FALSE(got.maybe_there);
    }
}

TEST_CASE("a node that does not know the epoch yet has not heard the announcement")
{
    fixture f;
    f.listen();
    std::optional<protocol::announce_answer> got;
    auto scene = [&]() -> awaitable<void> { got = co_await f.homes->announce("n1"); };
    f.answer_with(503, {});
    f.stage.play(scene());
    CHECK_FALSE(got);
    protocol::announce_answer told;
    told.capacity = f.room(2, 3);
    f.answer_with(200, told);
    f.stage.play(scene());
    REQUIRE(got);
    CHECK(got->capacity.services == told.capacity.services);
    CHECK(http::parse_json(f.received.front().body).get<protocol::epoch_message>().term == f.of.id());
}

TEST_CASE("questions to this node's own clients make no request")
{
    fixture f;
    protocol::ask_answer got;
    auto scene = [&]() -> awaitable<void> {
        protocol::ask_request request;
        request.instances = {"a", "b"};
        got = co_await f.homes->ask("master", std::move(request));
    };
    f.stage.play(scene());
    CHECK(got.answered.size() == 2);
}

TEST_CASE("a question to a node that does not answer has no answers")
{
    fixture f;
    protocol::ask_answer got;
    auto scene = [&]() -> awaitable<void> {
        protocol::ask_request request;
        request.instances = {"a"};
        got = co_await f.homes->ask("n1", std::move(request));
    };
    f.stage.play(scene());
    CHECK(got.answered.empty());
}

TEST_CASE("an answer that is not a node's counts as none")
{
    fixture f;
    f.listen();
    f.reply.status = 200;
    f.reply.body = "<html>welcome</html>"; // of a proxy
    std::optional<protocol::announce_answer> announced = protocol::announce_answer{};
    protocol::ask_answer asked;
    asked.answered.push_back({"a", {}});
    std::vector<execution_id> withdrawn{execution_id{1}};
    auto scene = [&]() -> awaitable<void> {
        announced = co_await f.homes->announce("n1");
        protocol::ask_request request;
        asked = co_await f.homes->ask("n1", std::move(request));
        auto const all = ids({1});
        withdrawn = co_await f.homes->withdraw("n1", all);
    };
    f.stage.play(scene());
    CHECK(f.received.size() == 3);
    CHECK_FALSE(announced);
    CHECK(asked.answered.empty());
    CHECK(withdrawn.empty());
}

TEST_CASE("a cancel goes to the home of its client")
{
    fixture f;
    f.listen();
    f.add_client("a", "n1");
    f.add_client("b", "master");
    auto scene = [&]() -> awaitable<void> {
        for (auto const* instance : {"a", "b", "unknown"}) {
            auto which = ids({1});
            co_await f.homes->cancel(instance, std::move(which));
        }
    };
    f.stage.play(scene());
    REQUIRE(f.received.size() == 1);
    auto const sent = http::parse_json(f.received[0].body).get<protocol::cancel_at_request>();
    CHECK(sent.instance == "a");
    CHECK(sent.executions == ids({1}));
    CHECK(sent.term == f.of.id());
    REQUIRE(f.questions.cancelled.size() == 1);
    CHECK(f.questions.cancelled[0].instance == "b");
}

TEST_CASE("only what a node says that it gave back is withdrawn")
{
    fixture f;
    f.here.has = ids({1, 2});
    std::vector<execution_id> mine;
    std::vector<execution_id> others;
    auto scene = [&]() -> awaitable<void> {
        auto some = ids({2, 3});
        mine = co_await f.homes->withdraw("master", std::move(some));
        auto more = ids({4, 5});
        others = co_await f.homes->withdraw("n1", std::move(more));
    };
    f.stage.play(scene());
    CHECK(mine == ids({2}));
    CHECK(others.empty());
    f.listen();
    f.answer_with(200, protocol::executions_request{f.of.id(), ids({5})});
    f.stage.play(scene());
    CHECK(others == ids({5}));
}

} // namespace homes_test
