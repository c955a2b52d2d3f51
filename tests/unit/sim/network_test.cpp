#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>

#include <optional>
#include <vector>

namespace network_test {

using namespace baton;

namespace {

// Host a sends requests to host b, which counts them.
struct fixture {
    sim::stage stage{11};
    sim::host& a = stage.add_host("a");
    sim::host& b = stage.add_host("b");
    http::url const to = http::parse_url("http://b:7800");
    std::unique_ptr<http::client> client = stage.net.client_for(a);
    std::vector<std::string> heard;
    std::optional<int> status;
    std::optional<bool> possibly_delivered;
    instant ended{};
    duration thinking{};

    fixture()
    {
        stage.net.faults.min_latency = stage.net.faults.max_latency = 1ms;
        stage.net.attach(b, to, [this](http::request const& message) { return handle(message); });
    }
    ~fixture() { stage.end(); }

    awaitable<http::response> handle(http::request const& message)
    {
        heard.push_back(message.target + " " + message.body);
        if (thinking > 0us)
            co_await b.time().sleep_for(thinking);
        http::response reply;
        reply.status = 201;
        co_return reply;
    }

    awaitable<void> ask(std::string target, duration limit)
    {
        http::request message;
        message.method = http::verb::post;
        message.target = std::move(target);
        message.body = "hello";
        try {
            auto const reply = co_await client->send(to, message, limit);
            status = reply.status;
        } catch (http::unreachable const& failure) {
            possibly_delivered = failure.possibly_delivered();
        }
        ended = stage.time.now();
    }
    void start(std::string target = "/x", duration limit = 1s) { a.spawn(ask(std::move(target), limit)); }
};

} // namespace

TEST_CASE("a request is handled on the other host and answered, with a latency in each direction")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.start("/x");
    f.stage.time.run_for(1s);
    CHECK(f.heard == std::vector<std::string>{"/x hello"});
    CHECK(f.status == 201);
    CHECK(f.ended - begin == 2ms);
}

TEST_CASE("a request to a host without a listener is refused and reported as not delivered")
{
    fixture f;
    f.stage.net.detach(f.to);
    f.start();
    f.stage.time.run_for(1s);
    CHECK(f.possibly_delivered == false);
    CHECK(f.heard.empty());
}

TEST_CASE("a lost request and a lost reply look the same to the caller: possibly delivered, at the limit")
{
    fixture f;
    bool const request = GENERATE(true, false);
    (request ? f.stage.net.faults.lose_request : f.stage.net.faults.lose_reply) = 1;
    auto const begin = f.stage.time.now();
    f.start();
    f.stage.time.run_for(10s);
    CHECK(f.possibly_delivered == true);
    CHECK(f.ended - begin == 1s);
    CHECK(f.heard.size() == (request ? 0 : 1));
}

TEST_CASE("a partition stops messages in both directions, including those under way, until it heals")
{
    fixture f;
    f.thinking = 100ms;
    f.start();
    f.stage.time.run_for(50ms);
    f.stage.net.partition("b", "a");
    f.stage.time.run_for(5s);
    CHECK(f.heard.size() == 1);
    CHECK(f.possibly_delivered == true);
    f.start();
    f.stage.time.run_for(5s);
    CHECK(f.heard.size() == 1);
    f.stage.net.heal("a", "b");
    f.start();
    f.stage.time.run_for(5s);
    CHECK(f.status == 201);
}

TEST_CASE("a host that dies while it answers resets the connection, and refuses later ones")
{
    fixture f;
    f.thinking = 100ms;
    auto const begin = f.stage.time.now();
    f.start("/x", 10s);
    f.stage.time.run_for(50ms);
    f.b.kill();
    f.stage.time.run_for(1s);
    CHECK(f.possibly_delivered == true);
    CHECK(f.ended - begin == 51ms);
    f.start();
    f.stage.time.run_for(1s);
    CHECK(f.possibly_delivered == false);
}

TEST_CASE("a frozen host receives and answers its requests when it continues")
{
    fixture f;
    auto const begin = f.stage.time.now();
    f.b.freeze_for(3s);
    f.start("/one", 10s);
    f.start("/two", 1s);
    f.stage.time.run_for(2s);
    CHECK(f.possibly_delivered == true);
    CHECK(f.heard.empty());
    f.stage.time.run_for(10s);
    CHECK(f.heard == std::vector<std::string>{"/one hello", "/two hello"});
    CHECK(f.status == 201);
    CHECK(f.ended - begin == 3001ms);
}

TEST_CASE("a frozen host that dies resets the requests that it had received")
{
    fixture f;
    f.b.freeze_for(3s);
    f.start("/x", 10s);
    f.stage.time.run_for(1s);
    f.b.kill();
    f.stage.time.run_for(5s);
    CHECK(f.possibly_delivered == true);
    CHECK(f.heard.empty());
}

TEST_CASE("a caller that was frozen past its limit either gets the answer or reports the timeout")
{
    int answered = 0;
    int given_up = 0;
    fixture f;
    for (int i = 0; i < 40; ++i) {
        f.status.reset();
        f.possibly_delivered.reset();
        f.start("/x", 1s);
        f.stage.time.run_for(500us);
        f.a.freeze_for(2s);
        f.stage.time.run_for(1999ms);
        CHECK_FALSE((f.status || f.possibly_delivered));
        f.stage.time.run_for(10ms);
        answered += f.status ? 1 : 0;
        given_up += f.possibly_delivered ? 1 : 0;
    }
    CHECK(f.heard.size() == 40);
    CHECK(answered + given_up == 40);
    CHECK(answered > 0);
    CHECK(given_up > 0);
}

TEST_CASE("a request under way is handled although its sender has died, and a dead sender sends no more")
{
    fixture f;
    f.start("/last words");
    f.stage.time.run_for(500us);
    f.a.kill();
    f.start("/from the grave");
    f.stage.time.run_for(5s);
    CHECK(f.heard == std::vector<std::string>{"/last words hello"});
    CHECK_FALSE(f.status);
}

TEST_CASE("a repeated request is handled twice and answered once")
{
    fixture f;
    f.stage.net.faults.repeat = 1;
    f.start();
    f.stage.time.run_for(1s);
    CHECK(f.heard.size() == 2);
    CHECK(f.status == 201);
}

TEST_CASE("messages may arrive in another order than they were sent")
{
    fixture f;
    f.stage.net.faults.max_latency = 50ms;
    for (int i = 0; i < 20; ++i)
        f.start("/" + std::to_string(i));
    f.stage.time.run_for(1s);
    std::vector<std::string> sent;
    for (int i = 0; i < 20; ++i)
        sent.push_back("/" + std::to_string(i) + " hello");
    REQUIRE(f.heard.size() == 20);
    CHECK(f.heard != sent);
    CHECK(std::is_permutation(sent.begin(), sent.end(), f.heard.begin()));
}

TEST_CASE("a handler that throws answers 500")
{
    fixture f;
    auto faulty = [](http::request const&) -> awaitable<http::response> {
        throw unavailable("no database");
        co_return http::response{};
    };
    f.stage.net.attach(f.b, f.to, faulty);
    f.start();
    f.stage.time.run_for(1s);
    CHECK(f.status == 500);
}

} // namespace network_test
