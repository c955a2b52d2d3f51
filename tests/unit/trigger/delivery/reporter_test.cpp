// What the reports to the master carry, and when they go.

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
        co_return protocol::report_answer{10};
    }
    void pass(duration span) { stage.time.run_for(span); }

    // A client of a service of its own, with one name of a handler of this length.
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

} // namespace reporter_test
