// The contents of reports to the master, and the times at which they are sent.

#include "libs/sim/sim.hpp"
#include "trigger/delivery/reporter.hpp"

#include <catch2/catch.hpp>
#include <spdlog/fmt/fmt.h>

#include <set>
#include <vector>

namespace reporter_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::size_t size_of(protocol::report_request const& report)
{
    return to_text(report).size();
}

struct fixture {
    sim::stage stage{7};
    sim::host& host = stage.add_host("node");
    seeded_random random{3};
    known_attempts known;
    trigger::lanes lanes{{}, random};
    std::vector<protocol::report_request> heard; // by the master
    std::size_t refuses_above = std::size_t(-1); // bytes of a report
    int forgotten = 0;
    reporter report{"node-1",
                    {[this](protocol::report_request const& one) { return hear(one); }, known, lanes, host.time()},
                    stage.loop.get_executor()};

    fixture()
    {
        report.new_term({1, 5});
        host.spawn(report.run());
    }
    ~fixture() { stage.end(); }

    awaitable<std::optional<protocol::report_answer>> hear(protocol::report_request one)
    {
        co_await host.time().sleep_for(1ms);
        if (size_of(one) > refuses_above)
            co_return std::nullopt;
        heard.push_back(std::move(one));
        co_return protocol::report_answer{10, forgotten};
    }
    void pass(duration span) { stage.time.run_for(span); }

    // Adds a service with one client, which has one handler with a name of this length.
    void add(int number, std::string const& service, std::size_t handler)
    {
        auto const instance = fmt::format("c{:03}", number);
        lane_client who;
        who.instance = instance;
        who.service = {"default", service};
        who.handlers = {fmt::format("{:03}", number) + std::string(handler, 'h')};
        auto& lane = lanes.put(std::move(who));
        lane.proved_at_address();
        lanes.mark_changed(lane);
    }
};

} // namespace

TEST_CASE("a node without news reports twice a second, so that a master that takes no reports is noticed")
{
    fixture f;
    f.pass(10s);
    CHECK(f.heard.size() >= 19);
    CHECK(f.heard.size() <= 20);
    CHECK(f.heard.back().capacity.services.empty());
    CHECK(f.heard.back().capacity.number > f.heard.front().capacity.number);
}

TEST_CASE("no number of clients with long names makes a report longer than a node reads")
{
    fixture f;
    for (int i = 0; i < 40; ++i)
        f.add(i, fmt::format("service {}", i), 250'000);
    f.report.capacity_changed();
    f.pass(1s);
    std::set<std::string> told;
    for (auto const& one : f.heard) {
        CHECK(size_of(one) < 1'100'000);
        for (auto const& service : one.capacity.services) {
            told.insert(service.service);
            CHECK(service.classes.size() == 1);
        }
    }
    CHECK(told.size() == 40);
    CHECK(f.heard.size() < 15);
}

TEST_CASE("a service whose sets of handlers do not fit into a message is told as far as it fits, and others wholly")
{
    fixture f;
    for (int i = 0; i < 20; ++i)
        f.add(i, "large", 250'000);
    f.add(20, "small", 10);
    f.report.capacity_changed();
    f.pass(1s);
    std::map<std::string, std::size_t> classes;
    for (auto const& one : f.heard) {
        CHECK(size_of(one) < 1'100'000);
        for (auto const& service : one.capacity.services)
            classes[service.service] = service.classes.size();
    }
    CHECK(classes == std::map<std::string, std::size_t>{{"large", 4}, {"small", 1}});
    CHECK(to_text(protocol::report_request{"n", {}, {}, {}, {}, {}, f.lanes.all()}).size() < 4'500'000);
}

TEST_CASE("the executions of a report are bounded by bytes, and all of them are told")
{
    fixture f;
    for (int i = 1; i <= 4'000; ++i) {
        f.report.undelivered({execution_id{i}, 1, protocol::return_cause::no_room, {}, std::string(1'000, '\n')});
        f.report.delivered({execution_id{i}, 1, std::string(128, 'c')});
    }
    f.pass(2s);
    std::size_t undelivered = 0;
    std::size_t delivered = 0;
    for (auto const& one : f.heard) {
        CHECK(size_of(one) < 1'100'000);
        undelivered += one.undelivered.size();
        delivered += one.delivered.size();
    }
    CHECK(undelivered == 4'000);
    CHECK(delivered == 4'000);
}

TEST_CASE("a report that something on the way refuses becomes smaller until it passes")
{
    fixture f;
    f.refuses_above = 100'000;
    for (int i = 1; i <= 5'000; ++i)
        f.report.delivered({execution_id{i}, 1, std::string(128, 'c')});
    f.pass(30s);
    std::size_t delivered = 0;
    for (auto const& one : f.heard)
        delivered += one.delivered.size();
    CHECK(delivered == 5'000);
}

TEST_CASE("a node whose master has forgotten what it can take tells everything again, once")
{
    fixture f;
    f.add(1, "a", 10);
    f.add(2, "b", 10);
    f.pass(1s);
    f.heard.clear();
    f.pass(1s);
    auto const services = [&f] {
        std::size_t told = 0;
        for (auto const& one : f.heard)
            told += one.capacity.services.size();
        return told;
    };
    CHECK(services() == 0);
    f.forgotten = 1;
    f.pass(2s);
    CHECK(services() == 2);
    f.forgotten = 2;
    f.pass(2s);
    CHECK(services() == 4);
}

} // namespace reporter_test
