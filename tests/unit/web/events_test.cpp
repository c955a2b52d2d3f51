#include "libs/base/loop.hpp"
#include "libs/http/body_source.hpp"
#include "tests/unit/web/harness.hpp"

#include <set>

namespace web_events_test {

using namespace baton;
using namespace baton::web;
using namespace baton::web::test;
using storage::engine;

namespace {

using stream = std::shared_ptr<http::body_source>;

std::set<std::string> topics_in(std::string const& text)
{
    auto const at = text.find("data: ");
    REQUIRE(at != std::string::npos);
    auto const line = text.substr(at + 6, text.find('\n', at) - at - 6);
    return json::parse(line).at("topics").get<std::set<std::string>>();
}

std::string id_in(std::string const& text)
{
    auto const at = text.find("id: ");
    REQUIRE(at != std::string::npos);
    return text.substr(at + 4, text.find('\n', at) - at - 4);
}

// The site with its watcher, and what a page does, on one loop.
struct page {
    explicit page(site_on_store& served) : site(served) {}

    awaitable<stream> open(std::string last = {})
    {
        http::request asked;
        asked.target = "/api/v1/events";
        if (!last.empty())
            asked.headers.set("Last-Event-ID", last);
        auto const answer = co_await site.routes(asked);
        auto const status = answer.status;
        CHECK(status == 200);
        co_return answer.stream;
    }

    awaitable<http::response> send(int wanted, http::verb method, std::string target, std::string body = {})
    {
        http::request asked;
        asked.method = method;
        asked.target = std::move(target);
        asked.body = std::move(body);
        auto answer = co_await site.routes(asked);
        INFO(asked.target << ": " << answer.body);
        CHECK(answer.status == wanted);
        co_return answer;
    }

    // Reads events until one names the topic; fails the test at its own limit.
    awaitable<std::string> await_topic(stream from, std::string topic)
    {
        for (;;) {
            auto text = co_await from->next();
            if (text.find("data: ") != std::string::npos && topics_in(text).contains(topic))
                co_return text;
        }
    }

    void run(awaitable<void> scenario)
    {
        asio::io_context loop{1};
        asio::cancellation_signal stop;
        bool done = false;
        std::exception_ptr failure;
        asio::co_spawn(loop, site.site->run(), asio::bind_cancellation_slot(stop.slot(), [](std::exception_ptr) {}));
        asio::co_spawn(loop, std::move(scenario), [&](std::exception_ptr ended) {
            failure = std::move(ended);
            done = true;
            stop.emit(asio::cancellation_type::terminal);
        });
        loop.run_for(30s);
        if (failure)
            std::rethrow_exception(failure);
        REQUIRE(done);
    }

    site_on_store& site;
};

} // namespace

TEST_CASE("a stream tells of each topic that changes")
{
    auto const site = arrange(GENERATE(engine::mysql, engine::sqlite));
    page here(*site);
    auto const scenario = [&]() -> awaitable<void> {
        auto const from = co_await here.open();
        auto const first = co_await from->next();
        CHECK(first.starts_with("retry: 2000\n\nid: "));
        CHECK(topics_in(first).empty());
        auto const all = co_await here.await_topic(from, "zones"); // the first look
        CHECK(topics_in(all).size() == 10);

        auto const made = co_await here.send(201, http::verb::post, "/api/v1/tasks", sample("watched").dump());
        site->data.exec("DELETE FROM `signal`"); // a master acts at once
        auto const text = co_await here.await_topic(from, "tasks");
        CHECK_FALSE(topics_in(text).contains("calendars"));
        auto const id = json::parse(made.body).at("id").get<std::string>();
        co_await here.send(202, http::verb::post, "/api/v1/tasks/" + id + "/run");
        co_await here.await_topic(from, "executions");
        co_await here.send(201, http::verb::post, "/api/v1/calendars",
                           R"({"name": "days", "weekly": [{"days": ["sat"]}]})");
        co_await here.await_topic(from, "calendars");
        co_await here.send(200, http::verb::post, "/api/v1/projects/default/pause", R"({"reason": "a test"})");
        site->data.exec("DELETE FROM `signal`");
        auto const paused = co_await here.await_topic(from, "services");
        CHECK(topics_in(paused).contains("projects"));
    };
    here.run(scenario());
}

TEST_CASE("a page that comes back is told of what changed while it, and everybody, was away")
{
    auto const site = arrange(GENERATE(engine::mysql, engine::sqlite));
    page here(*site);
    auto const scenario = [&]() -> awaitable<void> {
        auto from = co_await here.open();
        auto const known = co_await here.await_topic(from, "zones");
        from.reset();
        site->data.exec("UPDATE client SET changed_at = changed_at + 1");
        from = co_await here.open(id_in(known));
        co_await here.await_topic(from, "clients");

        auto const other = co_await here.open("another-3");
        auto const everything = co_await other->next();
        CHECK(topics_in(everything).size() == 10);
    };
    here.run(scenario());
}

TEST_CASE("one stream too many is refused, and a stream that ends makes room")
{
    settings how;
    how.event_streams = 2;
    auto const site = arrange(engine::sqlite, how);
    page here(*site);
    auto const scenario = [&]() -> awaitable<void> {
        auto const first = co_await here.open();
        auto second = co_await here.open();
        auto const refused = co_await here.send(503, http::verb::get, "/api/v1/events");
        CHECK(refused.headers.find("Retry-After") == "30");
        CHECK(refused.body.find("event streams") != std::string::npos);
        second.reset();
        auto const third = co_await here.open();
        first->close();
        auto const begun = co_await first->next();
        CHECK(begun.empty());
    };
    here.run(scenario());
}

TEST_CASE("a stream has the media type of server-sent events, and needs the token")
{
    settings how;
    how.token = "of the site";
    auto const site = arrange(engine::sqlite, how);
    CHECK(site->get("/api/v1/events").status == 401);
    CHECK(site->get("/api/v1/events?token=x", {{"Authorization", "Bearer of the site"}}).status == 400);
    auto const answer =
        site->get("/api/v1/events", {{"Authorization", "Bearer of the site"}, {"Last-Event-ID", "x-1"}});
    CHECK(answer.status == 200);
    CHECK(answer.headers.find("Content-Type") == "text/event-stream");
    CHECK(topics_in(answer.body).size() == 10);
}

} // namespace web_events_test
