// The way from a node to the master: which one, and what it may send or take under which epoch.

#include "libs/protocol/revision.hpp"
#include "libs/sim/sim.hpp"
#include "tests/unit/trigger/election/scripted_lease.hpp"
#include "trigger/delivery/master_link.hpp"

#include <catch2/catch.hpp>

#include <memory>

namespace master_link_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fake_master final : local_master {
    std::vector<protocol::whereabouts> whereabouts(std::vector<execution_id> const&) override { return {}; }
    protocol::report_answer report(protocol::report_request const& one) override
    {
        reports.push_back(one);
        return {42};
    }
    void signal() override {}
    void client_gone(std::string const&) override {}
    void roster_read(storage::roster const&, instant) override {}
    std::size_t open() const override { return 0; }
    bool note_what_is_out() override { return true; }
    std::optional<std::string> cannot_plan() override { return std::nullopt; }
    std::vector<part_trouble> troubles() const override { return {}; }
    std::vector<protocol::report_request> reports;
};

// Node "n1" with the election as a script has it, and node "n2".
struct fixture {
    sim::stage stage{13};
    std::vector<std::unique_ptr<storage::database>> databases;
    std::vector<std::unique_ptr<membership>> nodes;
    std::vector<sim::host*> hosts;
    std::unique_ptr<http::client> http;
    seeded_random random{7};
    std::optional<test::scripted_lease> lease;
    std::optional<elector> vote;
    std::optional<election_proxy> proxy;
    election_trace trace{"", "n1", "n1"};
    std::optional<known_epoch> epochs;
    std::optional<master_link> link;
    fake_master mine;
    std::vector<http::request> received; // by n2
    http::response reply;

    fixture()
    {
        stage.make_tables();
        join("n1");
        join("n2");
        stage.time.run_for(3s);
        auto& here = *hosts.front();
        auto const loop = stage.loop.get_executor();
        http = stage.net.client_for(here);
        lease.emplace(here.time());
        vote.emplace(election_settings{}, elector::identity{"n1", "http://n1:7800"},
                     elector::dependencies{*lease, here.time(), random}, loop);
        proxy.emplace(*vote, loop_ref{loop}, loop_ref{loop});
        epochs.emplace(*proxy, trace, here.time());
        proxy->on_row([this](lease::lease_row const& row, instant, instant) {
            epochs->read_row({protocol::first_namespace, row.epoch}, row.owner.has_value());
        });
        link.emplace(master_link::dependencies{*proxy, *epochs, *nodes.front(), *http, here.time()});
        stage.net.attach(*hosts.back(), http::parse_url("http://n2:7800"), [this](http::request const& message) {
            received.push_back(message);
            return answer();
        });
        reply = http::json_response(200, nlohmann::json{{"assigned", 7}});
    }
    ~fixture() { stage.end(); }

    void join(std::string const& name)
    {
        auto& host = stage.add_host(name);
        hosts.push_back(&host);
        databases.push_back(stage.database.connect(host, {.sessions = 1, .read_limit = 5s}));
        storage::node_record row;
        row.incarnation = row.name = name;
        row.address = "http://" + name + ":7800";
        row.secret = "secret of " + name;
        row.started_at = host.time().utc();
        auto const idle = [] { return membership::status{"slave", 0, 0}; };
        nodes.push_back(std::make_unique<membership>(membership_settings{}, row, *databases.back(), host.time(), idle));
        host.spawn(nodes.back()->run());
    }
    awaitable<http::response> answer() { co_return reply; }

    // The lock row shows this holder.
    void led_by(std::string const& owner, std::int64_t epoch)
    {
        lease->row.owner = owner;
        lease->row.epoch = epoch;
        lease->row.ttl = 1h;
        lease->renewed_at = hosts.front()->time().now();
        take_part();
    }
    // Takes part in the election. A term of this node opens the link.
    void take_part()
    {
        hosts.front()->spawn(run());
        stage.time.run_for(100ms);
    }
    awaitable<void> run()
    {
        elector::duty const duty = [this](std::int64_t epoch) { return serve(epoch); };
        co_await proxy->run(duty);
    }
    awaitable<void> serve(std::int64_t epoch)
    {
        struct closing {
            master_link& link;
            ~closing() { link.close(); }
        } const end{*link};
        epochs->learn(epoch, "n1");
        link->open(epoch, mine);
        for (;;)
            co_await hosts.front()->time().sleep_for(1s);
    }

    static protocol::report_request report(std::int64_t epoch)
    {
        protocol::report_request one;
        one.node = "n1";
        one.term = {1, epoch};
        return one;
    }
    std::optional<protocol::report_answer> send(std::int64_t epoch)
    {
        std::optional<protocol::report_answer> got;
        auto scene = [&]() -> awaitable<void> {
            auto const one = report(epoch);
            got = co_await link->send(one);
        };
        stage.play(scene());
        return got;
    }
};

} // namespace

TEST_CASE("a report goes to the node that the lock row names, with its secret")
{
    fixture f;
    f.led_by("n2", 5);
    auto const got = f.send(5);
    REQUIRE(got);
    CHECK(got->assigned == 7);
    REQUIRE(f.received.size() == 1);
    CHECK(f.received[0].path() == protocol::path_report);
    CHECK(f.received[0].headers.find("Authorization") == "Bearer secret of n2");
    CHECK(f.received[0].headers.find(protocol::revision_header) == std::to_string(protocol::wire_revision));
}

TEST_CASE("a report is not taken if there is no master, or it is not known, refuses or does not answer")
{
    fixture f;
    SECTION("none")
    {
        CHECK_FALSE(f.send(5));
    }
    SECTION("not in the roster")
    {
        f.led_by("n9", 5);
        CHECK_FALSE(f.send(5));
    }
    SECTION("refuses")
    {
        f.led_by("n2", 5);
        f.reply.status = 409;
        CHECK_FALSE(f.send(5));
    }
    SECTION("does not answer")
    {
        f.led_by("n2", 5);
        f.hosts.back()->kill();
        CHECK_FALSE(f.send(5));
    }
}

TEST_CASE("a node that leads takes its own reports without a request")
{
    fixture f;
    f.take_part();
    REQUIRE(f.link->here() == &f.mine);
    auto const epoch = f.epochs->value();
    auto const got = f.send(epoch);
    REQUIRE(got);
    CHECK(got->assigned == 42);
    CHECK(f.received.empty());
    CHECK(f.mine.reports.size() == 1);
}

TEST_CASE("a master takes no report of a higher epoch or of another namespace, and none when it is superseded")
{
    fixture f;
    f.take_part();
    auto const epoch = f.epochs->value();
    CHECK(f.link->take(fixture::report(epoch)));
    CHECK(f.link->take(fixture::report(epoch - 1))); // its ends count
    CHECK_FALSE(f.link->take(fixture::report(epoch + 1)));
    auto foreign = fixture::report(epoch);
    foreign.term.name_space = 2;
    CHECK_FALSE(f.link->take(foreign));
    f.epochs->learn(epoch + 1, "the lock row");
    CHECK_FALSE(f.link->take(fixture::report(epoch)));
}

TEST_CASE("a node that does not lead takes no report")
{
    fixture f;
    CHECK_FALSE(f.link->take(fixture::report(1)));
    f.take_part();
    f.link->close();
    CHECK_FALSE(f.link->take(fixture::report(f.epochs->value())));
}

TEST_CASE("a node delivers for another master whatever its own mastership is")
{
    fixture f;
    f.led_by("n2", 5);
    CHECK(f.link->may_deliver());
}

TEST_CASE("a node delivers for its own master while that may act, and after it has released the lease")
{
    fixture f;
    f.take_part();
    CHECK(f.link->may_deliver());
    SECTION("the lease has run out")
    {
        f.lease->down = true;
        f.stage.time.run_for(1min);
        CHECK_FALSE(f.link->may_deliver());
    }
    SECTION("the lease was released")
    {
        f.proxy->stop();
        f.stage.time.run_for(1min);
        CHECK(f.lease->released);
        CHECK(f.link->may_deliver());
    }
}

} // namespace master_link_test
