#include "libs/base/error.hpp"
#include "libs/protocol/revision.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/api/authorize.hpp"
#include "trigger/clients/registry.hpp"

#include <catch2/catch.hpp>

namespace registry_test {

using namespace baton;
using namespace baton::trigger;

namespace {

protocol::register_request make_request()
{
    protocol::register_request request;
    request.revision = protocol::wire_revision;
    request.service = "billing";
    request.instance = "host:1";
    request.address = "http://127.0.0.1:4711";
    request.secret = "0123456789abcdef";
    request.handlers = {"close-day"};
    request.generation = 1;
    return request;
}

// The field that a registration is refused for; nothing when it is taken.
std::string refused_field(protocol::register_request const& request)
{
    sim::stage stage(1);
    stage.make_tables();
    auto& host = stage.add_host("node");
    auto const database = stage.database.connect(host, {.sessions = 1, .read_limit = 1s});
    registry clients({}, "node", *database, host.time(), stage.loop.get_executor());
    host.spawn(clients.write_rows());
    std::string field;
    auto call = [&]() -> awaitable<void> {
        try {
            co_await clients.join(request);
        } catch (invalid_input const& wrong) {
            field = wrong.field();
        }
    };
    stage.play(call());
    stage.end();
    return field;
}

// The time of a process that can be stopped, as by SIGSTOP: nothing in it wakes before it goes on.
class stoppable_time final : public time_source {
public:
    explicit stoppable_time(time_source& base) : base_(base) {}

    instant now() const override { return base_.now(); }
    utc_time utc() const override { return base_.utc(); }
    awaitable<void> sleep_until(instant at) override
    {
        co_await base_.sleep_until(at);
        while (base_.now() < goes_on_)
            co_await base_.sleep_until(goes_on_);
    }

    void stop_for(duration span) { goes_on_ = base_.now() + span; }

private:
    time_source& base_;
    instant goes_on_{};
};

// Two nodes that hear clients, in virtual time; "host:1" has joined at the first.
struct two_nodes {
    sim::stage stage{3};
    client_settings settings; // gone after three heartbeats

    struct node {
        explicit node(two_nodes& in, std::string const& name)
            : host(in.stage.add_host(name)),
              time(host.time()),
              database(in.stage.database.connect(host, {.sessions = 1, .read_limit = 1s})),
              clients(in.settings, name, *database, time, in.stage.loop.get_executor())
        {
            host.spawn(clients.run());
            host.spawn(clients.write_rows());
        }
        sim::host& host;
        stoppable_time time;
        std::unique_ptr<storage::database> database;
        registry clients;
    };
    std::map<std::string, std::int64_t> tried;            // registrations, by instance
    std::map<std::string, std::int64_t> taken_generation; // of the last that a node took
    std::unique_ptr<node> a;
    std::unique_ptr<node> b;

    explicit two_nodes(duration heartbeat = 5s)
    {
        settings.heartbeat = heartbeat;
        stage.make_tables();
        a = std::make_unique<node>(*this, "a");
        b = std::make_unique<node>(*this, "b");
        pass(3s);
        join("host:1");
        pass(3s);
    }
    ~two_nodes() { stage.end(); }

    void pass(duration span) { stage.time.run_for(span); }

    // A client registers at the first node.
    void join(std::string const& instance, std::string const& service = make_request().service)
    {
        auto request = make_request();
        request.instance = instance;
        request.generation = ++tried[instance];
        taken_generation[instance] = request.generation;
        request.service = service;
        auto call = [&]() -> awaitable<void> { co_await a->clients.join(request); };
        stage.play(call());
    }

    // The node is told that nothing has changed since `last_change`, once a second for so long.
    void note(node& at, utc_time last_change, duration span, duration clock_set_back = {})
    {
        for (auto until = stage.time.now() + span; stage.time.now() < until; pass(1s))
            at.clients.note(last_change, at.time.utc() - clock_set_back, at.time.now());
    }

    // The client registers with the second node, behind the back of the first, which had been told for so long that
    // nothing changes. When that was so.
    utc_time move_unnoticed()
    {
        auto const quiet_since = stage.time.utc();
        pass(6s);
        note(*a, quiet_since, 3s);
        beat(*b);
        return quiet_since;
    }

    // A heartbeat to this node, or a registration if the node is not the client's home; whether it was taken.
    bool beat(node& at)
    {
        bool taken = false;
        protocol::heartbeat_request request;
        request.instance = "host:1";
        request.generation = taken_generation["host:1"];
        auto again = make_request();
        auto call = [&]() -> awaitable<void> {
            try {
                taken = co_await at.clients.beat(request);
                if (taken)
                    co_return;
                again.generation = ++tried["host:1"];
                auto const answer = co_await at.clients.join(again);
                taken = answer == registry::joined::here;
                if (taken)
                    taken_generation["host:1"] = again.generation;
            } catch (unavailable const&) {
                taken = false;
            }
        };
        stage.play(call());
        return taken;
    }
    bool knows(node& which, std::string const& instance = "host:1") { return which.clients.find(instance) != nullptr; }
};

} // namespace

TEST_CASE("a client that fetches registers without an address, and any other with one")
{
    auto request = make_request();
    request.delivery = protocol::delivery_way::fetch;
    CHECK(refused_field(request) == "address");
    request.address = "";
    CHECK(refused_field(request).empty());
    request.delivery = protocol::delivery_way::push;
    CHECK(refused_field(request) == "address");
}

TEST_CASE("a secret that cannot stand in a header is refused when the client registers")
{
    CHECK(refused_field(make_request()).empty());
    for (std::string const odd :
         {"\r\nX-Forged: yes!!", "with spaces in it", "\xc3\xa9t\xc3\xa9 \xc3\xa9t\xc3\xa9 1234"}) {
        auto request = make_request();
        request.secret = odd;
        INFO(odd);
        CHECK(refused_field(request) == "secret");
    }
}

TEST_CASE("a client's service and version may not contain control characters")
{
    auto request = make_request();
    request.service = "billing\nelection: PROMOTED";
    CHECK(refused_field(request) == "service");
    request = make_request();
    request.version = "1.0\x1b[2J";
    CHECK(refused_field(request) == "version");
}

TEST_CASE("a client's project and service are names that a task can have")
{
    for (std::string const odd : {"", "a/b", "a\\b", " a", "a\n"}) {
        INFO(odd);
        auto request = make_request();
        request.project = odd;
        CHECK(refused_field(request) == "project");
        request = make_request();
        request.service = odd;
        CHECK(refused_field(request) == "service");
    }
    auto request = make_request();
    request.project = std::string(65, 'p');
    CHECK(refused_field(request) == "project");
    request.project.pop_back();
    CHECK(refused_field(request).empty());
}

TEST_CASE("a node keeps nothing about the clients of other nodes")
{
    two_nodes f;
    CHECK(f.knows(*f.a));
    CHECK(f.b->clients.size() == 0);
    CHECK(f.beat(*f.b)); // by registering
    CHECK(f.knows(*f.b));
    f.pass(2s);
    CHECK(f.a->clients.size() == 0);
    CHECK_FALSE(f.a->clients.is_gone("host:1")); // it has moved
}

TEST_CASE("a client that leaves at another node is gone for its home too")
{
    two_nodes f;
    std::string home;
    f.b->clients.on_departure(
        [&](std::string const& instance, std::string const& heard_at) { home = instance + " of " + heard_at; });
    auto call = [&]() -> awaitable<void> {
        protocol::leave_request leave;
        leave.instance = "host:1";
        leave.generation = f.taken_generation["host:1"];
        co_await f.b->clients.leave(std::move(leave));
    };
    f.stage.play(call());
    CHECK(home == "host:1 of a");
    f.pass(2s);
    CHECK_FALSE(f.knows(*f.a));
    CHECK(f.a->clients.is_gone("host:1"));
}

TEST_CASE("only the node that a client registered with last takes its heartbeats")
{
    two_nodes f;
    auto const heard = [&](two_nodes::node& at) {
        protocol::heartbeat_request request;
        request.instance = "host:1";
        request.generation = f.taken_generation["host:1"];
        bool taken = false;
        auto call = [&]() -> awaitable<void> { taken = co_await at.clients.beat(request); };
        f.stage.play(call());
        return taken;
    };
    CHECK(heard(*f.a));
    CHECK_FALSE(heard(*f.b));
    CHECK(f.beat(*f.b)); // by registering
    f.pass(3s);
    CHECK_FALSE(heard(*f.a));
    CHECK(heard(*f.b));
}

TEST_CASE("a client that is silent for its ttl is gone for good")
{
    two_nodes f;
    f.pass(f.settings.ttl() - 5s);
    CHECK(f.knows(*f.a));
    f.pass(10s);
    CHECK_FALSE(f.knows(*f.a));
    CHECK_FALSE(f.beat(*f.b));
}

TEST_CASE("a client that fell silent during a short outage of the database is gone soon after")
{
    two_nodes f;
    auto const quiet_since = f.stage.time.utc();
    f.pass(6s);
    f.note(*f.a, quiet_since, f.settings.ttl() - 9s); // so that its end is the next thing to be written
    f.stage.database.crash_for(1'200ms);              // too short to count as time in which no client could be heard
    f.note(*f.a, quiet_since, 4s);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a node that was stopped for longer than the clients' ttl declares no live client gone")
{
    two_nodes f;
    f.a->time.stop_for(20s);
    f.pass(20s + 4s); // until the next heartbeat comes
    CHECK(f.knows(*f.a));
    CHECK(f.beat(*f.a));

    f.a->time.stop_for(20s);
    f.pass(20s + 20s); // this time none comes
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a client that changed its node during an outage of the database has its whole ttl to be adopted")
{
    two_nodes f;
    f.stage.database.crash_for(21s);
    for (int beats = 0; beats < 5; ++beats) {
        f.pass(4s);
        CHECK_FALSE(f.beat(*f.b)); // which cannot write down that it hears it
    }
    for (int beats = 0; beats < 5; ++beats) {
        f.pass(4s);
        CHECK(f.beat(*f.b));
    }
    CHECK(f.knows(*f.b));
}

TEST_CASE("an outage that begins right after a note leaves the clients their whole ttl")
{
    two_nodes f(1'100ms);
    auto const before = f.stage.time.utc();
    for (int second = 0; second < 8; ++second) {
        CHECK(f.beat(*f.a));
        f.note(*f.a, before, 1s);
    }
    CHECK(f.beat(*f.a));
    f.a->clients.note(before, f.stage.time.utc(), f.stage.time.now());
    auto const out = f.stage.time.now();
    auto const pass_until = [&](duration after) { f.pass(out + after - f.stage.time.now()); };
    f.stage.database.crash_for(3'900ms);
    for (auto const after : {900ms, 1'900ms, 2'900ms}) {
        pass_until(after);
        CHECK_FALSE(f.beat(*f.b)); // which cannot write down that it hears it
    }
    pass_until(4'700ms);
    CHECK(f.beat(*f.b));
    f.pass(2s);
    CHECK(f.knows(*f.b));
}

TEST_CASE("the table is not read while notes say that nothing has changed, and a change is read at once")
{
    two_nodes f;
    auto const before = f.move_unnoticed();
    auto const asked = f.a->clients.read_at();
    f.note(*f.a, before, 3s);
    CHECK(f.knows(*f.a));
    CHECK(f.a->clients.read_at() > asked); // as if it had asked
    f.a->clients.note(f.stage.time.utc(), f.stage.time.utc(), f.stage.time.now());
    f.pass(10ms);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("the table is read again when the notes cease")
{
    two_nodes f;
    f.move_unnoticed();
    f.pass(4s);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a change is read even if the database's clock was set back and the change is not the latest in the table")
{
    two_nodes f;
    auto const before = f.move_unnoticed();
    f.note(*f.a, before, 1s, 1h);
    CHECK_FALSE(f.knows(*f.a));
}

TEST_CASE("a message of an earlier registration changes nothing at the home of a later one")
{
    two_nodes f;
    f.join("host:1"); // again
    auto const late = f.taken_generation["host:1"] - 1;
    protocol::heartbeat_request beat;
    beat.instance = "host:1";
    beat.generation = late;
    auto again = make_request();
    again.generation = late;
    bool heard = true;
    auto answer = registry::joined::here;
    auto call = [&]() -> awaitable<void> {
        heard = co_await f.a->clients.beat(beat);
        answer = co_await f.a->clients.join(again);
        protocol::leave_request leave;
        leave.instance = "host:1";
        leave.generation = late;
        co_await f.a->clients.leave(std::move(leave));
    };
    f.stage.play(call());
    CHECK_FALSE(heard);
    CHECK(answer == registry::joined::overtaken);
    f.a->clients.moved("host:1", "b", late);
    CHECK(f.a->clients.hears("host:1"));
    f.a->clients.moved("host:1", "b", late + 2);
    CHECK_FALSE(f.a->clients.hears("host:1"));
}

TEST_CASE("a heartbeat and a repeated registration write nothing")
{
    two_nodes f;
    auto const before = f.stage.database.calls();
    auto again = make_request();
    again.generation = f.taken_generation["host:1"];
    auto answer = registry::joined::gone;
    auto call = [&]() -> awaitable<void> {
        for (int i = 0; i < 100; ++i) {
            answer = co_await f.a->clients.join(again);
            protocol::heartbeat_request beat;
            beat.instance = again.instance;
            beat.generation = again.generation;
            co_await f.a->clients.beat(std::move(beat));
        }
    };
    f.stage.play(call());
    CHECK(answer == registry::joined::here);
    CHECK(f.stage.database.calls() == before);

    again.secret = "another-secret-16"; // of another client with this name
    auto other = [&]() -> awaitable<void> { answer = co_await f.a->clients.join(again); };
    f.stage.play(other());
    CHECK(answer == registry::joined::gone);
}

TEST_CASE("a thousand clients that are silent at once are buried in two groups and reported together")
{
    two_nodes f;
    auto join = [&](protocol::register_request request) -> awaitable<void> {
        co_await f.a->clients.join(std::move(request));
    };
    for (int i = 0; i < 1'000; ++i) {
        auto request = make_request();
        request.instance = "crowd:" + std::to_string(i);
        f.a->host.spawn(join(std::move(request)));
    }
    f.pass(1s);
    std::map<instant, int> departures;
    f.a->clients.on_departure([&](auto const&, auto const&) { ++departures[f.stage.time.now()]; });
    for (int i = 0; i < 1'000; ++i)
        f.a->clients.find("crowd:" + std::to_string(i))->heard_at = f.a->time.now();
    f.pass(7s);
    CHECK(f.beat(*f.a));
    f.pass(f.settings.ttl() - 8s);
    CHECK(f.a->clients.size() == 1'001);
    auto const before = f.stage.database.calls();
    f.pass(3s);
    CHECK(departures.size() == 1);
    CHECK(f.a->clients.size() == 1);
    CHECK(f.stage.database.calls() - before <= 2 + 8); // the two groups, and the rounds of two nodes
}

TEST_CASE("the answer to a group was lost, and the node adopts its clients with one question")
{
    two_nodes f;
    f.stage.database.faults.lose_reply = 1;
    std::vector<protocol::register_request> requests;
    int failed = 0;
    auto join = [&](protocol::register_request request) -> awaitable<void> {
        try {
            co_await f.a->clients.join(std::move(request));
        } catch (unavailable const&) {
            ++failed;
        }
    };
    for (int i = 0; i < 300; ++i) {
        auto request = make_request();
        request.instance = "crowd:" + std::to_string(i);
        f.a->host.spawn(join(std::move(request)));
    }
    f.pass(500ms);
    f.stage.database.faults.lose_reply = 0;
    f.pass(1s);
    CHECK(failed == 300);
    auto const before = f.stage.database.calls();
    f.pass(2s);
    CHECK(f.a->clients.size() == 301);
    CHECK(f.stage.database.calls() - before <= 10);
}

TEST_CASE("a client of another release is refused in words")
{
    auto request = make_request();
    request.revision = protocol::wire_revision + 1;
    CHECK(refused_field(request) == "revision");
    CHECK(protocol::revision_error("the client", 7) ==
          "the client speaks revision 7 of the protocol and this node speaks revision " +
              std::to_string(protocol::wire_revision) + ": use the same release of baton for both");
}

TEST_CASE("a message of a node of another release is refused")
{
    http::request message;
    REQUIRE(refuse_revision(message)); // an older one, which tells no revision
    CHECK(refuse_revision(message)->status == 400);
    CHECK_THAT(refuse_revision(message)->body, Catch::Contains("the caller speaks revision 0"));
    message.headers.set(protocol::revision_header, std::to_string(protocol::wire_revision));
    CHECK_FALSE(refuse_revision(message));
}

TEST_CASE("a registration without a number is refused")
{
    auto request = make_request();
    request.generation = 0;
    CHECK(refused_field(request) == "generation");
}

} // namespace registry_test
