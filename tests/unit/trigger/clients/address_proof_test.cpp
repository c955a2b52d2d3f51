#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/proof.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/clients/address_proof.hpp"
#include "trigger/clients/push_line.hpp"

#include <catch2/catch.hpp>

namespace address_proof_test {

using namespace baton;
using namespace baton::trigger;

namespace {

address_probe const expected{"host:1", "0123456789abcdef", "n1"};

http::response claim(std::string const& instance, std::string const& secret, std::string const& nonce = "n1")
{
    return http::json_response(200, protocol::probe_answer{instance, protocol::proof_of(secret, instance, nonce)});
}

// The request that a client gets at its address, and the conclusion of the node from the answer.
struct exchange {
    explicit exchange(http::response answer, std::string const& listening = "http://client:9000")
    {
        auto& node = stage.add_host("node");
        auto& client = stage.add_host("client");
        auto const http = stage.net.client_for(node);
        stage.net.attach(client, http::parse_url(listening),
                         [this, answer](http::request const& message) { return answer_with(message, answer); });
        auto call = [&]() -> awaitable<void> {
            auto probe = expected;
            push_line line(*http);
            call_target to{"host:1", "http://client:9000", {}};
            outcome = co_await probe_address(line, std::move(to), std::move(probe), 5s);
        };
        stage.play(call());
        stage.end();
    }
    awaitable<http::response> answer_with(http::request message, http::response answer)
    {
        seen = std::move(message);
        co_return answer;
    }

    sim::stage stage{1};
    std::optional<http::request> seen;
    std::optional<std::string> outcome;
};

} // namespace

TEST_CASE("a probe carries a nonce and no secret, and the right answer proves the address")
{
    exchange e(claim("host:1", expected.secret));
    CHECK_FALSE(e.outcome);
    REQUIRE(e.seen);
    CHECK(e.seen->target == protocol::path_probe);
    CHECK(nlohmann::json::parse(e.seen->body) == nlohmann::json{{"nonce", "n1"}});
    CHECK_FALSE(e.seen->headers.find("Authorization"));
}

TEST_CASE("a wrong answer to a probe is reported as what it is")
{
    CHECK(proof_error(expected, claim("host:2", expected.secret)) == "another client answers there: 'host:2'");
    CHECK(proof_error(expected, claim("host\r\n:2", expected.secret)) == "another client answers there: 'host??:2'");
    auto const unproved = "the client there does not know the secret of the registration";
    CHECK(proof_error(expected, claim("host:1", "another secret !!")) == unproved);
    CHECK(proof_error(expected, claim("host:1", expected.secret, "an older nonce")) == unproved);
    CHECK(proof_error(expected, http::json_response(200, protocol::probe_answer{"host:1", ""})) == unproved);
    CHECK(proof_error(expected, http::text_response(200, "hello")) == "its answer to the probe cannot be read");
    CHECK(proof_error(expected, http::problem(404, "Not Found", "")) ==
          "no client of this protocol answers there (status 404)");
}

TEST_CASE("an address at which nothing listens is reported with the cause")
{
    exchange e(claim("host:1", expected.secret), "http://client:9001");
    REQUIRE(e.outcome);
    CHECK_THAT(*e.outcome, Catch::Contains("connection refused"));
    CHECK_FALSE(e.seen);
}

TEST_CASE("a call to a client that does not answer ends after its limit")
{
    sim::stage stage{1};
    auto& node = stage.add_host("node");
    auto& client = stage.add_host("client");
    auto const http = stage.net.client_for(node);
    auto const answer_late = [](sim::host& at) -> awaitable<http::response> {
        co_await at.time().sleep_for(1h);
        co_return http::response{};
    };
    auto const address = http::parse_url("http://client:9000");
    stage.net.attach(client, address, [&](http::request const&) { return answer_late(client); });
    std::optional<duration> took;
    auto call = [&]() -> awaitable<void> {
        push_line line(*http);
        call_target to{"host:1", "http://client:9000", {}};
        std::string body = "{}";
        auto const began = node.time().now();
        try {
            co_await line.call(std::move(to), protocol::path_dispatch, std::move(body), 5s);
        } catch (http::unreachable const&) {
            took = node.time().now() - began;
        }
    };
    node.spawn(call());
    stage.time.run_for(10s);
    CHECK(took == 5s);
    stage.end();
}

} // namespace address_proof_test
