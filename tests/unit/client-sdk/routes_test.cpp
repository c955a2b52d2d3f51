#include "client-sdk/src/routes.hpp"
#include "libs/protocol/proof.hpp"

#include <catch2/catch.hpp>

namespace routes_test {

using namespace baton;
using namespace baton::client;

namespace {

struct stage {
    http::response call(std::string const& path, std::string const& body, std::string const& bearer = "Bearer s3cret")
    {
        http::request message;
        message.method = http::verb::post;
        message.target = path;
        message.body = body;
        if (!bearer.empty())
            message.headers.set("authorization", bearer);
        http::response got;
        asio::io_context loop;
        asio::co_spawn(loop, answers.handle(message), [&](std::exception_ptr failure, http::response answer) {
            if (failure)
                std::rethrow_exception(failure);
            got = std::move(answer);
        });
        loop.run();
        return got;
    }

    nlohmann::json ok(std::string const& path, nlohmann::json const& body)
    {
        auto const answer = call(path, body.dump());
        REQUIRE(answer.status == 200);
        return nlohmann::json::parse(answer.body);
    }

    system_time time;
    engine it{engine_limits{}, {"work"}};
    int changes = 0;
    routes answers{it, time, {"host:1", "s3cret"}, [this] { ++changes; }};
};

} // namespace

TEST_CASE("a request without the secret of the incarnation is refused", "[client]")
{
    stage s;
    for (auto const* const path : {protocol::path_dispatch, protocol::path_cancel, protocol::path_query, "/elsewhere"})
        for (auto const* const bearer : {"", "Bearer other", "s3cret", "Bearer s3cret2"})
            CHECK(s.call(path, R"({"epoch": 99, "executions": []})", bearer).status == 401);
    CHECK(s.it.terms().all().empty());
}

TEST_CASE("the body of a request is read only with the secret, and that of a probe only if it is short", "[client]")
{
    stage s;
    http::request head;
    head.method = http::verb::post;
    for (auto const* const path : {protocol::path_dispatch, protocol::path_query, "/elsewhere"}) {
        head.target = path;
        head.headers.set("Authorization", "Bearer other");
        CHECK(s.answers.admit(head).refusal.value().status == 401);
        head.headers.set("Authorization", "Bearer s3cret");
        CHECK_FALSE(s.answers.admit(head).refusal);
    }
    head.target = protocol::path_probe;
    CHECK_FALSE(s.answers.admit(head).refusal);
    CHECK(s.answers.admit(head).body_limit == 4'096);
}

TEST_CASE("any caller may ask for the proof of the address, which shows no secret and changes nothing", "[client]")
{
    stage s;
    for (auto const* const bearer : {"", "Bearer other", "Bearer s3cret"}) {
        auto const answer = s.call(protocol::path_probe, R"({"nonce": "n1", "epoch": 99})", bearer);
        CHECK(answer.status == 200);
        CHECK(nlohmann::json::parse(answer.body) ==
              nlohmann::json{{"instance", "host:1"}, {"proof", protocol::proof_of("s3cret", "host:1", "n1")}});
    }
    CHECK(s.it.terms().all().empty());
    CHECK(s.changes == 0);
    for (auto const& nonce : {std::string(), std::string(129, 'n')})
        CHECK(s.call(protocol::path_probe, nlohmann::json{{"nonce", nonce}}.dump(), "").status == 400);
}

TEST_CASE("a client that has a new name proves that one only", "[client]")
{
    stage s;
    s.answers.become({"host:1~1", "s3cret~1"});
    auto const proved = s.ok(protocol::path_probe, {{"nonce", "n1"}});
    CHECK(proved.at("instance") == "host:1~1");
    CHECK(proved.at("proof") == protocol::proof_of("s3cret~1", "host:1~1", "n1"));
    CHECK(s.call(protocol::path_query, R"({"executions": []})").status == 401); // with the old secret
}

TEST_CASE("a lower epoch is answered 409 with the highest seen, on every path", "[client]")
{
    stage s;
    auto const none = nlohmann::json::array();
    CHECK(s.ok(protocol::path_query, {{"epoch", 8}, {"executions", none}}).at("epoch") == 8);
    for (auto const* const path : {protocol::path_dispatch, protocol::path_cancel, protocol::path_query}) {
        auto const answer = s.call(path, R"({"epoch": 7, "executions": []})");
        CHECK(answer.status == 409);
        CHECK(nlohmann::json::parse(answer.body) == nlohmann::json{{"epoch", 8}});
    }
    for (auto const* const nonsense : {R"({"epoch": 7})", R"({"epoch": 7, "executions": 7, "node": 7})"})
        CHECK(s.call(protocol::path_dispatch, nonsense).status == 409);
    CHECK(s.changes == 0);
}

TEST_CASE("the epoch of one master does not shut out the master of another namespace", "[client]")
{
    stage s;
    auto const none = nlohmann::json::array();
    s.ok(protocol::path_query, {{"epoch", 900}, {"executions", none}});
    for (auto const* const path : {protocol::path_dispatch, protocol::path_cancel, protocol::path_query}) {
        auto const obeyed = s.ok(path, {{"namespace", 2}, {"epoch", 8}, {"executions", none}});
        CHECK(obeyed.at("namespace") == 2);
        CHECK(obeyed.at("epoch") == 8);
        auto const stale = s.call(path, R"({"namespace": 2, "epoch": 7, "executions": []})");
        CHECK(stale.status == 409);
        CHECK(nlohmann::json::parse(stale.body) == nlohmann::json{{"namespace", 2}, {"epoch", 8}});
        CHECK(s.call(path, R"({"epoch": 8, "executions": []})").status == 409);
    }
    CHECK(s.it.terms().of(1).epoch == 900);
}

TEST_CASE("an unreadable execution does not fail the others of its request", "[client]")
{
    stage s;
    auto const answer =
        s.ok(protocol::path_dispatch,
             nlohmann::json::parse(
                 R"({"epoch": 1, "novel": true, "executions": [{"execution": 1, "handler": "work", "novel": 1},
                {"execution": 2, "handler": 7}, 5, {"execution": 3, "handler": "nobody"}, {"execution": 4, "handler": "work"}]})"));
    std::vector<std::string> said;
    for (auto const& one : answer.get<protocol::dispatch_answer>().executions)
        said.push_back(to_string(one.execution) + std::string(to_string(one.answer)));
    CHECK(said == std::vector<std::string>{"1accepted", "2invalid", "0invalid", "3no_handler", "4accepted"});
    CHECK(s.changes == 1);
}

TEST_CASE("malformed bodies and other methods get a 4xx", "[client]")
{
    stage s;
    for (auto const* const body : {"", "{", "[]", "7", R"({"epoch": 1})", R"({"epoch": "x", "executions": []})",
                                   R"({"epoch": 1, "executions": {}})"})
        CHECK(s.call(protocol::path_dispatch, body).status == 400);
    CHECK(s.call(protocol::path_query, R"({"epoch": 1, "executions": ["one"]})").status == 400);
    CHECK(s.call("/baton/v2/dispatch", "{}").status == 404);
}

TEST_CASE("a node that is not the home any more gets no new execution taken, and hears of those that the client has",
          "[client]")
{
    stage s;
    auto const dispatch = [&](int generation, int execution) {
        nlohmann::json one{{"execution", execution}, {"handler", "work"}};
        return s.ok(protocol::path_dispatch, {{"generation", generation}, {"executions", {one}}})["executions"][0];
    };
    s.answers.registered(2);
    CHECK_FALSE(dispatch(2, 1).contains("answer")); // accepted
    CHECK(dispatch(1, 1)["answer"] == "running");
    CHECK(dispatch(1, 2)["answer"] == "moved");
    CHECK_FALSE(dispatch(3, 3).contains("answer")); // its answer is on its way
    CHECK_FALSE(dispatch(0, 4).contains("answer")); // not told
}

TEST_CASE("query and cancel answer with the held executions", "[client]")
{
    stage s;
    s.ok(protocol::path_dispatch,
         nlohmann::json::parse(R"({"executions": [{"execution": 1, "attempt": 3, "handler": "work"}]})"));
    auto const asked = s.ok(protocol::path_query, {{"executions", {1, 2}}});
    CHECK(asked["held"] ==
          nlohmann::json::parse(
              R"([{"execution": 1, "attempt": 3, "finished": false, "succeeded": false, "run_ms": 0}])"));
    auto const cancelled = s.ok(protocol::path_cancel, {{"executions", {1, 2}}});
    CHECK(cancelled["held"] ==
          nlohmann::json::parse(
              R"([{"execution": 1, "attempt": 3, "finished": true, "succeeded": false, "run_ms": 0}])"));
}

TEST_CASE("a late dispatch of a node is recognised however many other nodes have called since", "[client]")
{
    stage s;
    auto const dispatch = [](int number, int execution, std::string const& node) {
        nlohmann::json one{{"execution", execution}, {"handler", "work"}};
        return nlohmann::json{{"epoch", 1}, {"node", node}, {"number", number}, {"executions", {one}}};
    };
    s.ok(protocol::path_dispatch, dispatch(7, 1, "first"));
    for (int node = 0; node < 200; ++node)
        s.ok(protocol::path_dispatch, dispatch(1, 10 + node, "n" + std::to_string(node)));
    CHECK(s.ok(protocol::path_dispatch, dispatch(6, 2, "first"))["executions"].empty());
    CHECK(s.ok(protocol::path_dispatch, dispatch(7, 3, "first"))["executions"][0]["execution"] == 1);
}

TEST_CASE("a repeated dispatch gets the same answer, an overtaken one gives the client nothing", "[client]")
{
    stage s;
    auto const dispatch = [](int number, int execution, std::string const& node = "n1") {
        nlohmann::json one{{"execution", execution}, {"handler", "work"}};
        return nlohmann::json{{"epoch", 1}, {"node", node}, {"number", number}, {"executions", {one}}};
    };
    s.it.drain();
    CHECK(s.ok(protocol::path_dispatch, dispatch(5, 1))["executions"][0]["answer"] == "draining");
    CHECK(s.ok(protocol::path_dispatch, dispatch(7, 2))["executions"][0]["execution"] == 2);
    auto const changes = s.changes;
    CHECK(s.ok(protocol::path_dispatch, dispatch(7, 3))["executions"][0]["execution"] == 2);
    CHECK(s.ok(protocol::path_dispatch, dispatch(6, 3))["executions"].empty());
    CHECK(s.changes == changes);
    CHECK(s.ok(protocol::path_dispatch, dispatch(6, 3, "n2"))["executions"][0]["execution"] == 3);
    CHECK(s.ok(protocol::path_dispatch, dispatch(0, 4))["executions"][0]["execution"] == 4);
    CHECK(s.ok(protocol::path_dispatch, dispatch(0, 4))["executions"][0]["execution"] == 4);
}

} // namespace routes_test
