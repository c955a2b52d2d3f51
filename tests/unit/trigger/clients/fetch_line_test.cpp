#include "libs/http/client.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/clients/fetch_line.hpp"

#include <catch2/catch.hpp>

namespace fetch_line_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// The outcome of a call.
struct call_end {
    std::optional<http::response> answer;
    std::optional<bool> possibly_delivered;
    duration after{};
};

// The end of a request of the client.
struct poll_end {
    bool ended = false;
    bool closed = false;
    std::string text;
    protocol::fetch_answer read() const
    {
        protocol::fetch_answer message;
        from_text(text, message);
        return message;
    }
};

struct fixture {
    sim::stage stage{5};
    sim::host& node = stage.add_host("n");
    fetch_line line{"n", node.time(), stage.loop.get_executor()};
    int returns = 0;
    bool connected = true;
    std::int64_t polls = 0;

    fixture()
    {
        line.on_return([this](std::string const&) { ++returns; });
    }
    ~fixture() { stage.end(); }

    void pass(duration span) { stage.time.run_for(span); }

    std::shared_ptr<call_end> call(duration limit = 5s, std::string address = {})
    {
        auto const end = std::make_shared<call_end>();
        node.spawn(make_call(end, limit, std::move(address)));
        pass(1us);
        return end;
    }

    awaitable<void> make_call(std::shared_ptr<call_end> end, duration limit, std::string address)
    {
        auto const begin = node.time().now();
        call_target to{"c", std::move(address), "secret"};
        try {
            end->answer = co_await line.call(to, protocol::path_query, R"({"epoch":7})", limit);
        } catch (http::unreachable const& failure) {
            end->possibly_delivered = failure.possibly_delivered();
        }
        end->after = node.time().now() - begin;
    }

    std::shared_ptr<poll_end> poll(protocol::fetch_request request = {})
    {
        auto const end = std::make_shared<poll_end>();
        request.instance = "c";
        if (request.poll == 0)
            request.poll = ++polls;
        node.spawn(hold(end, std::move(request)));
        pass(1us);
        return end;
    }

    // A request of a client with an address.
    protocol::fetch_answer poll_now(protocol::fetch_request request = {})
    {
        request.instance = "c";
        request.poll = ++polls;
        protocol::fetch_answer message;
        from_text(line.poll_now(std::move(request)), message);
        pass(1us);
        return message;
    }

    awaitable<void> hold(std::shared_ptr<poll_end> end, protocol::fetch_request request)
    {
        std::function<bool()> const there = [this] { return connected; };
        auto text = co_await line.poll(std::move(request), there);
        end->ended = true;
        end->closed = !text;
        end->text = text.value_or("");
    }

    static protocol::fetch_request answers_to(protocol::fetch_answer const& envelope, std::string body = "{}")
    {
        protocol::fetch_request request;
        request.node = envelope.node;
        request.number = envelope.number;
        for (auto const& one : envelope.calls) {
            protocol::call_answer said;
            said.call = one.call;
            said.status = 409;
            said.body.text = body;
            request.answers.push_back(said);
        }
        return request;
    }
};

} // namespace

TEST_CASE("a call reaches the client by the request that it holds, and the next request answers it")
{
    fixture f;
    auto const held = f.poll();
    CHECK_FALSE(held->ended);
    auto const call = f.call();
    REQUIRE(held->ended);
    auto const envelope = held->read();
    REQUIRE(envelope.calls.size() == 1);
    CHECK(envelope.node == "n");
    CHECK(envelope.calls[0].path == protocol::path_query);
    CHECK(envelope.calls[0].body.text == R"({"epoch":7})");

    auto const next = f.poll(fixture::answers_to(envelope, R"({"epoch":8})"));
    REQUIRE(call->answer);
    CHECK(call->answer->status == 409);
    CHECK(call->answer->body == R"({"epoch":8})");
    CHECK_FALSE(next->ended);
}

TEST_CASE("a client with an address is told that a call waits, and its requests are answered at once")
{
    fixture f;
    std::vector<std::string> told;
    f.line.on_waiting([&](std::string const& instance) { told.push_back(instance); });
    CHECK(f.poll_now().number == 0);
    CHECK_FALSE(f.line.must_tell("c"));
    auto const call = f.call(8s, "http://c");
    CHECK(told == std::vector<std::string>{"c"});
    CHECK(f.line.must_tell("c"));
    f.pass(6s); // until its next heartbeat
    CHECK_FALSE(call->possibly_delivered);
    auto const envelope = f.poll_now();
    REQUIRE(envelope.calls.size() == 1);
    CHECK(f.line.must_tell("c")); // the answer may be lost
    CHECK(f.poll_now(fixture::answers_to(envelope)).number == 0);
    CHECK(call->answer);
    CHECK_FALSE(f.line.must_tell("c"));
}

TEST_CASE("a call that a client with an address does not fetch ends after its limit, and it is not told of it any more")
{
    fixture f;
    auto const call = f.call(8s, "http://c");
    f.pass(8s);
    CHECK(call->possibly_delivered == false);
    CHECK_FALSE(f.line.must_tell("c"));
}

TEST_CASE("an answer to a request that is lost is given again, byte for byte")
{
    fixture f;
    auto const lost = f.poll();
    auto const call = f.call();
    auto const again = f.poll();
    REQUIRE(again->ended);
    CHECK(again->text == lost->text);
    f.poll(fixture::answers_to(again->read()));
    CHECK(call->answer);
}

TEST_CASE("answers that come twice, or from another node's envelope, change nothing")
{
    fixture f;
    auto const held = f.poll();
    f.call();
    auto const answers = fixture::answers_to(held->read());
    f.poll(answers);
    auto const second = f.call();
    auto foreign = answers;
    foreign.node = "another";
    foreign.number = 2;
    f.poll(answers);
    auto const last = f.poll(foreign);
    CHECK_FALSE(second->answer);
    REQUIRE(last->ended);
    CHECK(last->read().number == 2);
}

TEST_CASE("the newest request wins, and older ones end without calls a second later, so that none comes at once")
{
    fixture f;
    auto const older = f.poll();
    auto const newer = f.poll();
    protocol::fetch_request late;
    late.poll = 1;
    auto const repeated = f.poll(late);
    f.pass(900ms);
    CHECK_FALSE(older->ended);
    CHECK_FALSE(repeated->ended);
    f.pass(200ms);
    CHECK(older->ended);
    CHECK(older->read().number == 0);
    CHECK(repeated->ended);
    CHECK(repeated->read().number == 0);
    CHECK_FALSE(newer->ended);
    f.call();
    CHECK(newer->read().number == 1);
}

TEST_CASE("a request without calls ends after the hold")
{
    fixture f;
    auto const held = f.poll();
    f.pass(protocol::fetch_hold - 1ms);
    CHECK_FALSE(held->ended);
    f.pass(1ms);
    CHECK(held->ended);
    CHECK(held->read().number == 0);
}

TEST_CASE("a client that does not fetch certainly has not got the call, and one that fetched it may have")
{
    fixture f;
    auto const early = f.call(); // before the first request
    f.pass(5s);
    CHECK(early->possibly_delivered == false);
    CHECK(early->after <= 1s);
    auto const at_once = f.call(); // it has ceased to fetch
    CHECK(at_once->possibly_delivered == false);

    f.poll();
    CHECK(f.returns == 1);
    auto const fetched = f.call();
    f.pass(5s);
    CHECK(fetched->possibly_delivered == true);
    CHECK(fetched->after == 5s);
}

TEST_CASE("a call on a broken connection is not sent, and waits a moment for the next request")
{
    fixture f;
    auto const broken = f.poll();
    f.connected = false;
    auto const call = f.call();
    CHECK(broken->read().number == 0);
    f.pass(1s);
    CHECK(call->possibly_delivered == false);
    CHECK(call->after < 500ms);

    f.connected = true;
    f.poll();
    f.connected = false;
    auto const second = f.call();
    f.connected = true;
    auto const next = f.poll();
    REQUIRE(next->ended);
    f.poll(fixture::answers_to(next->read()));
    CHECK(second->answer);
}

TEST_CASE("when the client moves, its request ends, calls that it may have are in doubt and the others are not")
{
    fixture f;
    f.poll();
    auto const sent = f.call();
    auto const waits = f.call();
    f.line.close("c");
    f.pass(1us);
    CHECK(sent->possibly_delivered == true);
    CHECK(waits->possibly_delivered == false);
    CHECK(f.line.size() == 0);

    auto const held = f.poll();
    f.line.close("c");
    f.pass(1us);
    CHECK(held->closed);
}

TEST_CASE("an envelope without an answer to one of its calls leaves that call in doubt")
{
    fixture f;
    auto const held = f.poll();
    auto const call = f.call();
    auto request = fixture::answers_to(held->read());
    request.answers.clear();
    f.poll(request);
    CHECK(call->possibly_delivered == true);
}

TEST_CASE("a call whose envelope is not repeated any more is in doubt, and the client never gets it")
{
    fixture f;
    f.poll();
    auto const call = f.call(10min);
    f.pass(1min);
    CHECK_FALSE(call->possibly_delivered);
    auto const held = f.poll();
    f.pass(1us);
    CHECK(call->possibly_delivered == true);
    CHECK_FALSE(held->ended);
}

} // namespace fetch_line_test
