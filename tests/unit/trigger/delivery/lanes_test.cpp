#include "trigger/delivery/lanes.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <set>
#include <vector>

namespace lanes_test {

using namespace baton;
using namespace baton::trigger;

namespace {

constexpr instant now{100s};
using protocol::client_choice;
protocol::service_key const shop{"default", "s"};
protocol::service_key const other{"default", "other"};

struct fixture {
    seeded_random random{1};
    trigger::lanes lanes{{}, random};

    client_lane& add(std::string const& instance, std::set<std::string> handlers, int slots, int queue = 0,
                     protocol::service_key const& service = shop)
    {
        auto& lane = lanes.put({instance, service, std::move(handlers), slots, queue, false});
        lane.proved_at_address();
        lane.ran(1, 0us, now); // its handlers are fast: it is given as many as it takes
        lanes.mark_changed(lane);
        return lane;
    }
    std::string choose(client_choice choice = client_choice::round_robin, std::string const& handler = "h",
                       protocol::service_view service = shop)
    {
        auto const* lane = lanes.choose(service, handler, choice, now);
        return lane == nullptr ? "" : lane->who().instance;
    }
};

// Fills so many of its places.
void fill(client_lane& lane, int count, std::int64_t first_id = 1)
{
    for (int i = 0; i < count; ++i)
        lane.has({execution_id{first_id + i}, 1}, now);
}

} // namespace

TEST_CASE("round robin gives every client with a free slot the same share")
{
    fixture f;
    for (auto const* name : {"a", "b", "c"})
        f.add(name, {"h"}, 100);
    std::map<std::string, int> share;
    for (int i = 0; i < 30; ++i)
        ++share[f.choose()];
    CHECK(share == std::map<std::string, int>{{"a", 10}, {"b", 10}, {"c", 10}});
}

TEST_CASE("random reaches all clients, skip_busy stays with the first that has a free slot")
{
    fixture f;
    auto& a = f.add("a", {"h"}, 2);
    f.add("b", {"h"}, 100);
    std::set<std::string> reached;
    for (int i = 0; i < 50; ++i)
        reached.insert(f.choose(client_choice::random));
    CHECK(reached.size() == 2);
    CHECK(f.choose(client_choice::skip_busy) == "a");
    CHECK(f.choose(client_choice::skip_busy) == "a");
    fill(a, 2);
    CHECK(f.choose(client_choice::skip_busy) == "b");
}

TEST_CASE("least_loaded takes the client with the most free slots, and without any the shortest queue")
{
    fixture f;
    auto& a = f.add("a", {"h"}, 4, 10);
    auto& b = f.add("b", {"h"}, 2, 10);
    f.add("c", {"h"}, 2, 10);
    CHECK(f.choose(client_choice::least_loaded) == "a");
    fill(a, 3);
    CHECK(f.choose(client_choice::least_loaded) == "b");
    CHECK(f.choose(client_choice::least_loaded) == "c"); // as good, and its turn
    fill(a, 6);
    fill(b, 4, 10);
    CHECK(f.choose(client_choice::least_loaded) == "c");
    f.lanes.remove("c");
    CHECK(f.choose(client_choice::least_loaded) == "a");
}

TEST_CASE("skip_busy leaves the queues of clients empty")
{
    fixture f;
    auto& a = f.add("a", {"h"}, 1, 10);
    fill(a, 1);
    CHECK(f.choose(client_choice::skip_busy).empty());
    CHECK(f.choose(client_choice::round_robin) == "a");
}

TEST_CASE("a demand with a tag reaches only clients with the tag, also those that come later")
{
    fixture f;
    f.add("a", {"h"}, 9);
    CHECK(f.choose(client_choice::round_robin, "h/gpu").empty());
    f.add("b", {"/gpu", "h"}, 9);
    f.add("c", {"/gpu", "other"}, 9);
    CHECK(f.choose(client_choice::round_robin, "h/gpu") == "b");
    CHECK(f.choose(client_choice::round_robin, "h/gpu") == "b");
    f.add("d", {"/eu", "/gpu", "h"}, 9);
    CHECK(f.choose(client_choice::skip_busy, "h/eu") == "d");
    f.lanes.remove("b");
    CHECK(f.choose(client_choice::round_robin, "h/gpu") == "d");
    auto const told = f.lanes.capacity(shop);
    CHECK(told.classes.size() == 3);
}

TEST_CASE("only clients that serve the handler, answer and do not drain are chosen")
{
    fixture f;
    f.add("a", {"other"}, 1);
    auto& b = f.add("b", {"h"}, 1);
    auto& c = f.add("c", {"h"}, 1);
    f.lanes.put({"c", shop, {"h"}, 1, 0, true});
    CHECK(f.choose() == "b");
    b.failed(now);
    CHECK(f.choose().empty());
    b.proved_at_address();
    f.lanes.lost_handler(b, "h");
    CHECK(f.choose().empty());
    CHECK_FALSE(c.takes_work());
    CHECK(f.lanes.choose({"default", "unknown"}, "h", client_choice::random, now) == nullptr);
}

TEST_CASE("a client that has not answered its last request comes after those with a free slot, before those without")
{
    fixture f;
    auto& slow = f.add("a", {"h"}, 4, 4);
    auto& quick = f.add("b", {"h"}, 2, 4);
    slow.put({});
    slow.take_group(now);
    for (auto const choice : {client_choice::round_robin, client_choice::random, client_choice::least_loaded}) {
        CAPTURE(static_cast<int>(choice));
        for (int i = 0; i < 4; ++i)
            CHECK(f.choose(choice) == "b");
    }
    CHECK(f.choose(client_choice::skip_busy) == "a");
    fill(quick, 2);
    CHECK(f.choose() == "a");
    slow.group_ended();
    quick.ended({execution_id{1}, 1}, now);
    CHECK(f.choose(client_choice::least_loaded) == "a");
}

TEST_CASE("a client with a free slot comes before one with room in its queue, and no room means no choice")
{
    fixture f;
    auto& a = f.add("a", {"h"}, 1, 10);
    auto& b = f.add("b", {"h"}, 1, 10);
    fill(a, 1);
    CHECK(f.choose() == "b");
    CHECK(f.choose() == "b");
    fill(b, 3);
    CHECK(f.choose() == "a"); // the shorter queue
    fill(a, 11);
    fill(b, 11);
    CHECK(f.choose().empty());
}

TEST_CASE("a client whose slots all hang gets nothing more while another makes progress and has room")
{
    fixture f;
    auto& hung = f.add("a", {"h"}, 1, 100);
    auto& busy = f.add("b", {"h"}, 1, 100);
    fill(hung, 1);
    fill(busy, 50);
    busy.ended({execution_id{1}, 1}, now + 5s);
    CHECK(f.lanes.choose(shop, "h", client_choice::round_robin, now + 5s) == &busy);
}

TEST_CASE("a node tells the places of the clients that the master has chosen, when they change")
{
    fixture f;
    f.add("a", {"h"}, 2, 3);
    auto& b = f.add("b", {"h"}, 1);
    CHECK(f.lanes.take_changed().named.empty());
    f.lanes.set_named(b);
    auto told = f.lanes.take_changed();
    REQUIRE(told.named.size() == 1);
    CHECK(told.named[0].instance == "b");
    CHECK(told.named[0].places == 1);
    auto drained = b.who();
    drained.draining = true;
    f.lanes.put(drained);
    told = f.lanes.take_changed();
    REQUIRE(told.named.size() == 1);
    CHECK(told.named[0].places == 0);
    f.lanes.put_back(told);
    CHECK(f.lanes.take_changed().named.size() == 1);
    drained.draining = false;
    f.lanes.put(drained);
    told = f.lanes.take_changed();
    REQUIRE(told.named.size() == 1);
    CHECK(told.named[0].places == 1);
    f.lanes.mark_all_changed();
    CHECK(f.lanes.take_changed().named.size() == 1);
}

TEST_CASE("a node tells its places by set of handlers, and only of services that have changed")
{
    fixture f;
    f.add("a", {"h"}, 2, 3);
    f.add("b", {"h"}, 1);
    auto& c = f.add("c", {"h", "new"}, 1);
    f.add("d", {"x"}, 1, 0, {"default", "other"});
    auto const told = f.lanes.take_changed();
    REQUIRE(told.services.size() == 2);
    CHECK(told.services[1] == protocol::service_capacity{"default", "s", {{{"h"}, 3, 6}, {{"h", "new"}, 1, 1}}});
    CHECK_FALSE(f.lanes.any_changed());

    c.failed(now);
    f.lanes.mark_changed(c);
    auto const again = f.lanes.take_changed();
    CHECK(again.number > told.number);
    CHECK(again.services == std::vector<protocol::service_capacity>{{"default", "s", {{{"h"}, 3, 6}}}});

    f.lanes.put_back(again);
    CHECK(f.lanes.any_changed());
    f.lanes.take_changed();

    CHECK(f.lanes.remove("d") != nullptr);
    CHECK(f.lanes.take_changed().services == std::vector<protocol::service_capacity>{{"default", "other", {}}});
    CHECK(f.lanes.remove("d") == nullptr);
}

TEST_CASE("an execution gets no client of another project, whose service and handler have the same names")
{
    fixture f;
    protocol::service_key const theirs{"theirs", "s"};
    f.add("a", {"h"}, 1);
    f.add("b", {"h"}, 1, 0, theirs);
    CHECK(f.choose() == "a");
    CHECK(f.choose(client_choice::round_robin, "h", theirs) == "b");
    CHECK(f.choose(client_choice::round_robin, "h", protocol::service_view{"third", "s"}).empty());
    auto const told = f.lanes.take_changed();
    CHECK(told.services ==
          std::vector<protocol::service_capacity>{{"default", "s", {{{"h"}, 1, 1}}}, {"theirs", "s", {{{"h"}, 1, 1}}}});
    CHECK(f.lanes.remove("a") != nullptr);
    CHECK(f.choose().empty());
    CHECK(f.choose(client_choice::skip_busy, "h", theirs) == "b");
}

TEST_CASE("a client that registers for another project leaves the first one")
{
    fixture f;
    f.add("a", {"h"}, 1);
    protocol::service_key const theirs{"theirs", "s"};
    f.add("a", {"h"}, 1, 0, theirs);
    CHECK(f.choose().empty());
    CHECK(f.choose(client_choice::round_robin, "h", theirs) == "a");
}

TEST_CASE("the kept lists and sums are those of a new count after any changes")
{
    auto const seed = GENERATE(range(1, 11));
    CAPTURE(seed);
    seeded_random random{static_cast<std::uint64_t>(seed)};
    fixture f;
    std::vector<std::set<std::string>> const handlers{{"h"}, {"h", "new"}, {"new"}};
    for (int i = 0; i < 500; ++i) {
        auto const name = "c" + std::to_string(random.below(20));
        auto* lane = f.lanes.find(name);
        switch (random.below(5)) {
        case 0:
            f.lanes.remove(name);
            break;
        case 1:
            if (lane != nullptr)
                f.lanes.lost_handler(*lane, "new");
            break;
        case 2:
            if (lane != nullptr) {
                lane->failed(now);
                f.lanes.mark_changed(*lane);
            }
            break;
        default:
            f.add(name, handlers[random.below(3)], static_cast<int>(random.below(4)) + 1, 1,
                  random.below(2) == 0 ? shop : other);
        }
        f.choose(client_choice::round_robin, random.below(2) == 0 ? "h" : "new");
    }
    for (auto const& service : {shop, other}) {
        std::map<std::set<std::string>, std::pair<int, int>> sums;
        std::map<std::string, std::set<std::string>> serving;
        f.lanes.each([&](client_lane& lane) {
            if (lane.who().service != service || lane.places() == 0)
                return;
            sums[lane.who().handlers].first += lane.slots();
            sums[lane.who().handlers].second += lane.places();
            for (auto const& handler : lane.who().handlers)
                serving[handler].insert(lane.who().instance);
        });
        std::map<std::set<std::string>, std::pair<int, int>> told;
        for (auto const& one : f.lanes.capacity(service).classes)
            told[{one.handlers.begin(), one.handlers.end()}] = {one.slots, one.places};
        CHECK(told == sums);
        for (auto const* handler : {"h", "new"}) {
            std::set<std::string> chosen;
            for (int i = 0; i < 500; ++i)
                if (auto const name = f.choose(client_choice::random, handler, service); !name.empty())
                    chosen.insert(name);
            CHECK(chosen == serving[handler]);
        }
    }
}

TEST_CASE("a choice looks at no more clients among 20,000 than among a few, whether they are free, busy or full")
{
    constexpr int count = 20'000;
    constexpr int rounds = 100;
    fixture f;
    auto const queue = GENERATE(0, 10);
    std::vector<client_lane*> all;
    for (int i = 0; i < count; ++i)
        all.push_back(&f.add("client " + std::to_string(i), {"h"}, 1, queue));
    f.choose();
    auto const looks = [&](client_choice choice, bool any) {
        auto const before = f.lanes.looks();
        for (int i = 0; i < rounds; ++i)
            CHECK(f.choose(choice).empty() != any);
        return (f.lanes.looks() - before) / rounds;
    };
    for (auto const choice : {client_choice::round_robin, client_choice::random, client_choice::skip_busy})
        CHECK(looks(choice, true) <= 1);
    CHECK(looks(client_choice::least_loaded, true) <= 1'000);

    for (auto* lane : all)
        fill(*lane, 1);
    CHECK(looks(client_choice::skip_busy, false) <= 1);
    for (auto const choice : {client_choice::round_robin, client_choice::random})
        CHECK(looks(choice, queue != 0) <= 64);
    CHECK(looks(client_choice::least_loaded, queue != 0) <= 1'000);

    for (auto* lane : all)
        fill(*lane, 1 + queue);
    all.back()->ended({execution_id{1}, 1}, now);
    auto const& free = all.back()->who().instance;
    for (auto const choice : {client_choice::round_robin, client_choice::random, client_choice::least_loaded}) {
        auto const before = f.lanes.looks();
        CHECK(f.choose(choice) == free);
        CHECK(f.lanes.looks() - before <= 1);
    }
    CHECK(f.choose(client_choice::skip_busy) == (queue == 0 ? free : ""));
}

TEST_CASE("a client that has less room than its home counts gets nothing until the time that it was told for is over")
{
    fixture f;
    auto& a = f.add("a", {"h"}, 1);
    f.lanes.told_room(a, 0, now, 100ms);
    CHECK(f.choose().empty());
    CHECK(f.lanes.choose(shop, "h", client_choice::round_robin, now + 99ms) == nullptr);
    f.lanes.told_room(a, 0, now + 50ms, 100ms);
    CHECK(f.lanes.choose(shop, "h", client_choice::round_robin, now + 100ms) == nullptr);
    CHECK(f.lanes.choose(shop, "h", client_choice::skip_busy, now + 150ms) == &a);
    f.lanes.told_room(a, 0, now + 150ms, 100ms);
    f.lanes.told_room(a, 1, now + 160ms, 100ms); // the next answer corrects it
    CHECK(f.lanes.choose(shop, "h", client_choice::least_loaded, now + 160ms) == &a);
}

TEST_CASE("round robin goes on where it was when clients come and go")
{
    fixture f;
    for (auto const* name : {"b", "c", "d"})
        f.add(name, {"h"}, 100);
    CHECK(f.choose() == "b");
    CHECK(f.choose() == "c");
    f.add("a", {"h"}, 100);
    CHECK(f.choose() == "d");
    CHECK(f.choose() == "a");
    CHECK(f.choose() == "b");
    f.lanes.remove("a");
    CHECK(f.choose() == "c");
}

TEST_CASE("a lane is found by its number until its client leaves, and a client that comes back gets another number")
{
    fixture f;
    auto const a = f.add("a", {"h"}, 1).number();
    auto const b = f.add("b", {"h"}, 1).number();
    CHECK(a != b);
    REQUIRE(f.lanes.numbered(a) != nullptr);
    CHECK(f.lanes.numbered(a)->who().instance == "a");
    f.add("a", {"h", "g"}, 2); // registered again
    CHECK(f.lanes.numbered(a)->who().slots == 2);
    f.lanes.remove("a");
    CHECK(f.lanes.numbered(a) == nullptr);
    auto const again = f.add("a", {"h"}, 1).number();
    CHECK(again != a);
    CHECK(f.lanes.numbered(a) == nullptr);
    CHECK(f.lanes.numbered(b)->who().instance == "b");
}

} // namespace lanes_test
