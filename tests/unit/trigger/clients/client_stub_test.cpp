// The calls to a client: by which way they go, and what an answer means.

#include "libs/http/client.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/clients/client_stub.hpp"

#include <catch2/catch.hpp>

#include <functional>

namespace client_stub_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fake_clients final : home_clients {
    known_client* find(std::string const& instance) override { return instance == one.row.instance ? &one : nullptr; }
    bool is_gone(std::string const&) const override { return false; }
    void bury(std::string const&, std::string const&) override {}
    void drains(std::string const&) override {}
    known_client one;
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

struct fake_line final : client_line {
    awaitable<http::response> call(call_target to, char const* path, std::string said, duration span) override
    {
        limit = span;
        text = std::move(said);
        calls.push_back(path + std::string(" ") + to.secret);
        co_return reply();
    }
    std::function<http::response()> reply = [] { return http::response{}; };
    std::vector<std::string> calls;
    duration limit{}; // of the last call, as is the text
    std::string text;
};

struct fixture {
    sim::stage stage{3};
    fake_clients clients;
    fake_claims epochs;
    fake_line push;
    fake_line fetch;
    client_stub stub{clients, {push, fetch}, {.call = 5s, .heartbeat = 3s}, epochs};

    fixture()
    {
        clients.one.row.instance = "a";
        clients.one.row.service = "billing";
        clients.one.row.address = "http://a";
        clients.one.row.secret = "secret";
    }

    void answers(int status, std::string body = {})
    {
        push.reply = [status, body] {
            http::response out;
            out.status = status;
            out.body = body;
            return out;
        };
    }
    client_calls::dispatch_outcome dispatch(std::string const& instance = "a")
    {
        client_calls::dispatch_outcome out;
        auto scene = [&]() -> awaitable<void> { out = co_await stub.dispatch(instance, "{}"); };
        stage.play(scene());
        return out;
    }
};

} // namespace

TEST_CASE("a client with an address is called there, and one without fetches the call")
{
    fixture f;
    f.dispatch();
    CHECK(f.push.calls == std::vector<std::string>{std::string(protocol::path_dispatch) + " secret"});
    CHECK(f.fetch.calls.empty());
    f.clients.one.row.address.clear();
    f.dispatch();
    CHECK(f.push.calls.size() == 1);
    CHECK(f.fetch.calls.size() == 1);
}

TEST_CASE("a client that wants its ids as text gets them so")
{
    fixture f;
    auto const text_of = [&] {
        protocol::executions_request cancelled;
        cancelled.executions.emplace_back(381'204'117'561'114'625);
        f.stage.play(f.stub.cancel("a", cancelled, protocol::delivery_way::push));
        return nlohmann::json::parse(f.push.text).at("executions").at(0);
    };
    CHECK(text_of() == 381'204'117'561'114'625);
    f.clients.one.row.text_ids = true;
    CHECK(text_of() == "381204117561114625");
}

TEST_CASE("a probe does not carry the client's secret")
{
    fixture f;
    client_calls::probe_outcome out;
    auto scene = [&]() -> awaitable<void> { out = co_await f.stub.probe("a"); };
    f.stage.play(scene());
    CHECK(f.push.calls == std::vector<std::string>{std::string(protocol::path_probe) + " "});
    CHECK(out.address == "http://a");
    CHECK(out.wrong); // the answer proves nothing
}

TEST_CASE("a group has certainly not arrived only if the client refused it or could not be reached")
{
    fixture f;
    SECTION("it refused")
    {
        f.answers(400);
        auto const got = f.dispatch();
        CHECK_FALSE(got.answer);
        CHECK_FALSE(got.maybe_there);
        CHECK(got.why == "status 400");
    }
    SECTION("another client answers there, as among processes that share one port")
    {
        f.answers(401);
        auto const got = f.dispatch();
        CHECK_FALSE(got.maybe_there);
        CHECK(got.why == "the client there does not know the secret of the registration");
    }
    SECTION("it answered with a status that is no refusal")
    {
        for (auto const status : {302, 307, 408, 500, 503}) {
            CAPTURE(status);
            f.answers(status);
            CHECK(f.dispatch().maybe_there);
        }
    }
    SECTION("it confirmed without saying for which executions")
    {
        for (auto const status : {201, 202, 204}) {
            CAPTURE(status);
            f.answers(status);
            auto const got = f.dispatch();
            CHECK_FALSE(got.answer);
            CHECK(got.maybe_there);
        }
    }
    SECTION("it answered nonsense")
    {
        f.answers(200, "<html>");
        auto const got = f.dispatch();
        CHECK_FALSE(got.answer);
        CHECK(got.maybe_there);
    }
    SECTION("the connection was refused")
    {
        f.push.reply = []() -> http::response { throw http::unreachable("refused", false); };
        CHECK_FALSE(f.dispatch().maybe_there);
    }
    SECTION("the connection broke")
    {
        f.push.reply = []() -> http::response { throw http::unreachable("reset", true); };
        auto const got = f.dispatch();
        CHECK(got.maybe_there);
        CHECK(got.why == "reset");
    }
    SECTION("the client is not known")
    {
        auto const got = f.dispatch("b");
        CHECK_FALSE(got.maybe_there);
        CHECK(got.why == "client gone");
        CHECK(f.push.calls.empty());
    }
}

TEST_CASE("an answer that can be read counts with any status of success")
{
    fixture f;
    for (auto const status : {200, 201, 202}) {
        CAPTURE(status);
        f.answers(status, R"({"free":7,"executions":[]})");
        auto const got = f.dispatch();
        REQUIRE(got.answer);
        CHECK(got.answer->free == 7);
    }
}

TEST_CASE("a refusal of size is told apart from other refusals")
{
    fixture f;
    f.answers(413);
    auto const got = f.dispatch();
    CHECK(got.too_large);
    CHECK_FALSE(got.maybe_there);
    f.answers(400);
    CHECK_FALSE(f.dispatch().too_large);
}

TEST_CASE("the epoch for which a client refuses a call is claimed, and nonsense is not")
{
    fixture f;
    f.answers(409, nlohmann::json(protocol::epoch_message{{1, 9}}).dump());
    CHECK(f.dispatch().why == "it knows a higher epoch");
    CHECK(f.epochs.claimed == std::vector<std::int64_t>{9});
    CHECK(f.epochs.named == "client a of service default/billing");
    f.answers(409, "what?");
    f.dispatch();
    CHECK(f.epochs.claimed.size() == 1);
}

TEST_CASE("a question that is not answered with a list is no answer")
{
    fixture f;
    std::optional<protocol::query_answer> got;
    auto scene = [&]() -> awaitable<void> {
        std::string text = "{}";
        got = co_await f.stub.ask("a", std::move(text), protocol::delivery_way::push);
    };
    f.answers(200, nlohmann::json(protocol::query_answer{{1, 5}, {{execution_id{1}, 1, false, false}}}).dump());
    f.stage.play(scene());
    REQUIRE(got);
    CHECK(got->held.size() == 1);
    f.answers(500);
    f.stage.play(scene());
    CHECK_FALSE(got);
    f.push.reply = []() -> http::response { throw http::unreachable("reset", true); };
    f.stage.play(scene());
    CHECK_FALSE(got);
}

TEST_CASE("a client that is told to fetch its question has until its next heartbeat for it")
{
    fixture f;
    std::optional<protocol::query_answer> got;
    auto scene = [&]() -> awaitable<void> {
        std::string text = "{}";
        got = co_await f.stub.ask("a", std::move(text), protocol::delivery_way::fetch);
    };
    f.fetch.reply = [] {
        http::response out;
        out.status = 200;
        out.body = nlohmann::json(protocol::query_answer{}).dump();
        return out;
    };
    f.stage.play(scene());
    CHECK(got);
    CHECK(f.push.calls.empty());
    CHECK(f.fetch.limit == 8s);
    f.clients.one.row.address.clear(); // it always fetches
    f.stage.play(scene());
    CHECK(f.fetch.limit == 5s);
}

} // namespace client_stub_test
