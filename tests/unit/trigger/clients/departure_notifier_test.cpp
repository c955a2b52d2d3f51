#include "libs/sim/sim.hpp"
#include "trigger/clients/departure_notifier.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace departure_notifier_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// Node "n0", which tells of departures, beside the others; "n1" is the master.
struct fixture {
    explicit fixture(std::size_t nodes)
    {
        stage.make_tables();
        for (std::size_t i = 0; i < nodes; ++i)
            start("n" + std::to_string(i), i == 1 ? "master" : "slave");
        stage.time.run_for(3s);
        http = stage.net.client_for(*self);
        notifier = std::make_unique<departure_notifier>(*memberships.at(0), *http, background);
    }
    ~fixture() { stage.end(); }

    void start(std::string const& name, std::string const& role)
    {
        auto& host = stage.add_host(name);
        hosts.push_back(&host);
        self = self == nullptr ? &host : self;
        databases.push_back(stage.database.connect(host, {.sessions = 1, .read_limit = 5s}));
        storage::node_record row;
        row.incarnation = row.name = name;
        row.address = "http://" + name + ":7800";
        row.started_at = host.time().utc();
        auto const describe = [role] { return membership::status{role, 0, 0}; };
        memberships.push_back(
            std::make_unique<membership>(membership_settings{}, row, *databases.back(), host.time(), describe));
        host.spawn(memberships.back()->run());
        stage.net.attach(host, http::parse_url(row.address),
                         [this, name](http::request const& message) { return take(name, message.body); });
    }

    awaitable<http::response> take(std::string name, std::string const& body)
    {
        auto const message = http::parse_json(body).get<protocol::departed_message>();
        messages[name].push_back(message.clients.size());
        last[name] = message.clients.back();
        co_return http::response{};
    }

    sim::stage stage{9};
    sim::host* self = nullptr;
    std::vector<sim::host*> hosts;
    std::vector<std::unique_ptr<storage::database>> databases;
    std::vector<std::unique_ptr<membership>> memberships;
    std::unique_ptr<http::client> http;
    task_group background{stage.loop.get_executor()};
    std::unique_ptr<departure_notifier> notifier;
    std::map<std::string, std::vector<std::size_t>> messages; // by node: the numbers of clients in each
    std::map<std::string, protocol::departed_client> last;
};

} // namespace

TEST_CASE("a thousand clients are gone in one instant, and each node that must know gets one message")
{
    fixture f(20);
    for (int i = 0; i < 1'000; ++i)
        f.notifier->notify("c" + std::to_string(i), i < 600 ? "n0" : "n2");
    f.stage.time.run_for(1s);
    CHECK(f.messages["n1"] == std::vector<std::size_t>{1'000});
    CHECK(f.messages["n2"] == std::vector<std::size_t>{400});
    CHECK(f.messages.size() == 2);
}

TEST_CASE("a message names at most a thousand departures, and the next ones name the rest")
{
    fixture f(3);
    for (int i = 0; i < 2'500; ++i)
        f.notifier->notify("c" + std::to_string(i), "n2");
    f.stage.time.run_for(1s);
    CHECK(f.messages["n2"] == std::vector<std::size_t>{1'000, 1'000, 500});
    CHECK(f.last["n2"].instance == "c2499");
}

TEST_CASE("departures that come while a message is on its way travel together in the next")
{
    fixture f(3);
    f.stage.net.faults.min_latency = f.stage.net.faults.max_latency = 50ms;
    for (int i = 0; i < 1'000; ++i) {
        f.notifier->notify("c" + std::to_string(i), "n0");
        f.stage.time.run_for(1ms);
    }
    f.stage.time.run_for(1s);
    CHECK(f.messages["n1"].size() <= 12);
}

TEST_CASE("the last home of a client that registered here learns of its new home and of the registration")
{
    fixture f(3);
    f.notifier->notify_moved("c", "n2", 7);
    f.stage.time.run_for(1s);
    CHECK(f.messages.size() == 1);
    CHECK(f.last["n2"].instance == "c");
    CHECK(f.last["n2"].home == "n0");
    CHECK(f.last["n2"].generation == 7);
}

TEST_CASE("a node that is not alive is sent nothing")
{
    fixture f(4);
    f.hosts[3]->kill();
    f.stage.time.run_for(10s);
    std::set<std::string> called;
    f.stage.net.on_request = [&](http::url const& to, http::request const&) { called.insert(to.host); };
    f.notifier->notify("c", "n3");
    f.notifier->notify("d", "n2");
    f.stage.time.run_for(1s);
    CHECK(called == std::set<std::string>{"n1", "n2"});
    CHECK(f.messages["n1"].front() == 2);
}

TEST_CASE("a message that is lost is not repeated, and the next one is sent")
{
    fixture f(3);
    f.stage.net.faults.lose_request = 1;
    f.notifier->notify("c", "n2");
    f.stage.time.run_for(3s);
    CHECK(f.messages.empty());
    f.stage.net.faults.lose_request = 0;
    f.notifier->notify("d", "n2");
    f.stage.time.run_for(1s);
    CHECK(f.messages["n2"].size() == 1);
    CHECK(f.last["n2"].instance == "d");
}

} // namespace departure_notifier_test
