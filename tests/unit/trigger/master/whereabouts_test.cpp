#include "trigger/master/whereabouts.hpp"

#include <catch2/catch.hpp>

namespace whereabouts_test {

using namespace baton;
using namespace baton::trigger;
using protocol::place_kind;
using protocol::whereabouts;

namespace {

struct fixture {
    system_time time;
    open_set open{time};
    std::shared_ptr<known_task const> task = std::make_shared<known_task>();

    open_execution& add(int id, phase at, std::string const& where = {})
    {
        open_execution one;
        one.id = execution_id{id};
        one.task = task;
        open_set::reading const now(open);
        REQUIRE(open.add(std::move(one), now));
        auto& added = *open.find(execution_id{id});
        if (at != phase::waiting)
            open.move(added, at, where);
        return added;
    }
};

} // namespace

TEST_CASE("an execution is with a node or a client, or in doubt, and one that waits is left out")
{
    fixture f;
    f.add(1, phase::assigned, "n1");
    f.add(2, phase::held, "c1");
    f.add(3, phase::in_doubt);
    f.add(4, phase::waiting);
    std::vector const ids{execution_id{1}, execution_id{2}, execution_id{3}, execution_id{4}, execution_id{5}};
    std::vector<whereabouts> const expected{{execution_id{1}, place_kind::at_node, "n1", {}},
                                            {execution_id{2}, place_kind::at_client, "c1", {}},
                                            {execution_id{3}, place_kind::in_doubt, {}, {}}};
    CHECK(whereabouts_of(f.open, ids) == expected);
}

TEST_CASE("an execution that has not begun at its client waits behind one that runs there")
{
    fixture f;
    auto& running = f.add(1, phase::held, "c1");
    f.add(2, phase::held, "c1");
    f.add(3, phase::held, "c2");
    running.running_attempt = running.attempt;
    auto const behind = [&](int id) { return whereabouts_of(f.open, {execution_id{id}}).at(0).running_there; };
    CHECK(behind(2) == execution_id{1});
    CHECK(behind(3) == execution_id{}); // of another client
    CHECK(behind(1) == execution_id{});
    running.attempt = 2; // of which no report has come
    CHECK(behind(2) == execution_id{});
}

} // namespace whereabouts_test
