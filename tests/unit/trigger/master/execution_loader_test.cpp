#include "tests/unit/trigger/master/term_stage.hpp"
#include "trigger/master/execution_loader.hpp"

#include <catch2/catch.hpp>

namespace execution_loader_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture : test::term_stage {
    std::vector<std::string> taken; // the steps, as "retry 1"
    execution_loader::steps steps{[this](open_execution& one, utc_time) { note("retry", one); },
                                  [this](open_execution& one) { note("cancel", one); },
                                  [this](open_execution& one) { note("doubt", one); },
                                  [this](open_execution& one) { note("wait", one); },
                                  [this](open_execution const& one) { under_way.push_back(one.id); }};
    std::vector<execution_id> under_way; // may be, since before this term
    execution_loader loader{scope(), book, steps};

    fixture()
    {
        add_task(1);
        add_execution(1, 1, 3);
    }
    ~fixture() { stage.end(); }

    void note(std::string const& step, open_execution const& one)
    {
        taken.push_back(step + " " + std::to_string(one.id.value()));
    }
    void set(std::string const& what) { exec("UPDATE execution SET " + what + " WHERE id = 1"); }

    // Reads the open rows and loads them. `meanwhile` happens between the two.
    void read(std::function<void(open_set::reading const&)> const& meanwhile = {})
    {
        auto scene = [&]() -> awaitable<void> {
            open_set::reading const seen(open);
            auto const rows = co_await ledger->open(utc_time::max(), {}, 100);
            if (meanwhile)
                meanwhile(seen);
            for (auto const& row : rows)
                loader.load(row, seen);
        };
        stage.play(scene());
    }
    using words = std::vector<std::string>;
};

} // namespace

TEST_CASE("a planned execution waits for its instant")
{
    fixture f;
    f.read();
    CHECK(f.taken.empty());
    CHECK(f.one(1).phase == phase::waiting);
    REQUIRE(f.open.next_due());
    CHECK(*f.open.next_due() - f.one(1).due_at < 1ms);
    CHECK(*f.open.next_due() >= f.one(1).due_at);
}

TEST_CASE("an execution may be under way since before this term unless it waits for its first sending")
{
    fixture f;
    bool expected = true;
    SECTION("planned")
    {
        expected = false;
    }
    SECTION("kept back by a limit: no client has it, however late it is")
    {
        f.set("state = 'waiting', due_at = 1");
        f.loader.begin_take_over([](auto const&) { return true; });
        expected = false;
    }
    SECTION("running")
    {
        f.set("state = 'running'");
    }
    SECTION("asked to stop")
    {
        f.set("state = 'stopping'");
        f.exec("INSERT INTO stop_request (execution_id, attempt, cause, requested_at) VALUES (1, 1, 'timeout', 77)");
        f.read();
        REQUIRE(f.one(1).stop);
        CHECK(f.one(1).stop->why == protocol::stop_cause::timeout);
        CHECK(f.one(1).stop->at == from_micros(77));
        CHECK(f.one(1).ran);
        return;
    }
    SECTION("between two attempts")
    {
        f.set("attempt = 2, begun = 1");
    }
    SECTION("sent again after an attempt that no client had: it has not begun")
    {
        f.set("attempt = 2");
        expected = false;
    }
    SECTION("maybe sent by the last master")
    {
        f.loader.begin_take_over([](auto const&) { return true; });
    }
    f.read();
    CHECK(f.under_way.size() == (expected ? 1 : 0));
    CHECK(f.one(1).noted == (f.state(1) == "waiting"));
}

TEST_CASE("the step that is next for an execution follows from its row")
{
    fixture f;
    SECTION("a failed attempt is to be followed by another one")
    {
        f.set("state = 'retrying'");
        f.read();
        CHECK(f.taken == fixture::words{"retry 1"});
    }
    SECTION("it is to be cancelled")
    {
        f.set("cancel_requested_at = 1");
        f.read();
        CHECK(f.taken == fixture::words{"cancel 1"});
    }
    SECTION("the next death of its client would be the last")
    {
        f.set("deaths = 2");
        f.read();
        CHECK(f.taken == fixture::words{"wait 1"});
    }
}

TEST_CASE("during a take-over an execution that may have been sent is in doubt, also if it is to be cancelled")
{
    fixture f;
    f.loader.begin_take_over([](auto const&) { return true; });
    f.set("cancel_requested_at = 1");
    f.read();
    CHECK(f.taken == fixture::words{"doubt 1"});
}

TEST_CASE("during a take-over an execution that may begin at most once is in doubt only if it is marked as out")
{
    fixture f;
    f.add_task(2, {{"max_deaths", 1}});
    f.add_execution(2, 2);
    bool const marked = GENERATE(false, true);
    if (marked)
        f.exec("UPDATE execution SET out_attempt = 1 WHERE id = 2");
    f.loader.begin_take_over([](auto const&) { return true; });
    f.read();
    CHECK(f.taken == (marked ? fixture::words{"doubt 1", "doubt 2"} : fixture::words{"doubt 1"}));
}

TEST_CASE("a broadcast whose shards are under way waits for them")
{
    fixture f;
    f.add_task(2, {{"routing", "broadcast"}});
    f.set("task_id = 2, state = 'running'");
    f.loader.begin_take_over([](auto const&) { return true; });
    f.read();
    CHECK(f.one(1).phase == phase::parent);
    CHECK(f.taken.empty());
}

TEST_CASE("the limits of a shard count from the instant at which its broadcast was due")
{
    fixture f;
    f.add_task(2, {{"routing", "broadcast"}});
    f.set("task_id = 2, state = 'running'");
    f.add_execution(2, 2, 3);
    f.exec("UPDATE execution SET parent_id = 1, cause = 'shard', due_at = due_at + 60000000, created_at = due_at WHERE "
           "id = 2");
    f.loader.begin_take_over([](auto const&) { return true; });
    f.read();
    CHECK(f.one(2).due_at > f.one(1).due_at);
    CHECK(f.one(2).since_due == f.one(1).since_due);
}

TEST_CASE("a row is not loaded twice, and not if its execution ended while the row was being read")
{
    fixture f;
    SECTION("known")
    {
        f.read();
        f.open.move(f.one(1), phase::held, "a");
        f.set("state = 'retrying'");
        f.read();
        CHECK(f.taken.empty());
        CHECK(f.one(1).phase == phase::held);
    }
    SECTION("ended meanwhile")
    {
        f.read([&](auto const&) { f.open.erase(execution_id{1}); });
        CHECK_FALSE(f.is_open(1));
    }
    SECTION("about to be added by the part that wrote it")
    {
        open_set::reading writing(f.open);
        writing.expect(execution_id{1});
        f.read();
        CHECK_FALSE(f.is_open(1));
    }
}

TEST_CASE("an execution that cannot be read stays open in the ledger, and the others are loaded")
{
    fixture f;
    f.add_execution(2, 1);
    f.exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES (1, 2, "
           "'edited', 1, '{\"name\": 7}', 1)");
    f.set("task_version = 2");
    f.read();
    CHECK_FALSE(f.is_open(1));
    CHECK(f.is_open(2));
    CHECK(f.state(1) == "planned");
}

} // namespace execution_loader_test
