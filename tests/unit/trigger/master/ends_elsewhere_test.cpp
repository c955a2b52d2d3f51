#include "tests/unit/trigger/master/node_stage.hpp"
#include "trigger/master/ends_elsewhere.hpp"

#include <catch2/catch.hpp>

namespace ends_elsewhere_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture {
    sim::stage stage{29};
    sim::host& host = stage.add_host("master");
    test::fake_node_calls calls{host.time()};
    ends_elsewhere ends{calls, host.time(), stage.loop.get_executor()};

    fixture() { host.spawn(ends.run()); }
    ~fixture() { stage.end(); }
    void add(std::string const& home, int count)
    {
        for (int id = 1; id <= count; ++id)
            ends.add(home, {execution_id{id}, 1});
    }
    int told(std::string const& home) const
    {
        std::size_t count = 0;
        for (auto const& [node, many] : calls.ended_calls)
            count += node == home ? many : 0;
        return static_cast<int>(count);
    }
};

} // namespace

TEST_CASE("a home is told of the ends that another node recorded, in a few calls, and then forgotten")
{
    fixture f;
    f.add("n1", 1500);
    f.add("n2", 1);
    f.stage.time.run_for(100ms);
    CHECK(f.told("n1") == 1500);
    CHECK(f.told("n2") == 1);
    CHECK(f.calls.ended_calls.size() == 3);
    CHECK(f.ends.homes() == 0);
    f.add("n1", 1);
    f.stage.time.run_for(100ms);
    CHECK(f.told("n1") == 1501);
}

TEST_CASE("a home that does not answer delays no other, and has one call and a bounded number of ends in memory")
{
    fixture f;
    f.calls.mute.insert("n1");
    f.add("n1", 1);
    f.stage.time.run_for(100ms);
    f.add("n1", 30'000);
    f.add("n2", 10);
    f.stage.time.run_for(100ms);
    CHECK(f.told("n1") == 1);
    CHECK(f.told("n2") == 10);
    f.calls.mute.clear();
    f.stage.time.run_for(2min);
    CHECK(f.told("n1") == 10'001);
    CHECK(f.ends.homes() == 0);
}

TEST_CASE("the home of an execution is that of its client, also before the directory knows the client")
{
    test::node_stage f(1);
    f.add_task(1);
    f.add_client("known", "n1");
    f.host.spawn(f.clients->run());
    f.add_execution(1, 1);
    f.load();
    f.pass(2s);
    auto& one = f.one(1);
    auto const home = [&] {
        auto const* found = home_of(one, *f.clients);
        return found == nullptr ? std::string() : *found;
    };
    CHECK(home().empty());
    f.open.move(one, phase::assigned, "n1");
    CHECK(home() == "n1");
    f.open.move(one, phase::held, "known");
    CHECK(home() == "n1");
    f.open.move(one, phase::held, "new");
    CHECK(home().empty());
    std::string const node = "n2";
    credit at;
    at.node = &node;
    protocol::service_key const service{"default", "s"};
    at.service = &service;
    f.open.charge(one, &at);
    CHECK(home() == "n2");
    f.open.move(one, phase::in_doubt);
    CHECK(home().empty());
    f.stage.end();
}

} // namespace ends_elsewhere_test
