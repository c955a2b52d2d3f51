// The master's directory of clients, on a simulated database.

#include "libs/sim/sim.hpp"
#include "trigger/master/client_directory.hpp"

#include <catch2/catch.hpp>

namespace client_directory_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct fixture {
    sim::stage stage{11};
    sim::host& host = stage.add_host("master");
    std::unique_ptr<storage::database> database;
    std::optional<storage::clients> table;
    std::optional<client_directory> directory;
    std::vector<std::string> gone;

    fixture()
    {
        stage.make_tables();
        database = stage.database.connect(host, {.sessions = 1, .read_limit = 5s});
        table.emplace(*database);
        directory.emplace(*database, host.time(), stage.loop.get_executor());
        directory->on_gone([this](std::string const& instance) { gone.push_back(instance); });
    }
    ~fixture() { stage.end(); }

    std::int64_t generation = 0; // of the last registration
    void put(std::string instance, std::string service = "billing", std::string node = "n1",
             std::vector<std::string> handlers = {"close-day"}, std::string project = "default")
    {
        storage::client_record row;
        row.instance = std::move(instance);
        row.project = std::move(project);
        row.service = std::move(service);
        row.address = "http://127.0.0.1:1";
        row.secret = "0123456789abcdef";
        row.handlers = std::move(handlers);
        row.node = std::move(node);
        row.generation = ++generation;
        auto call = [&]() -> awaitable<void> { co_await table->put(row); };
        stage.play(call());
    }
    void bury(std::string const& instance)
    {
        auto call = [&]() -> awaitable<void> {
            std::vector<storage::client_write> group(1);
            group[0].what = storage::client_write::kind::leave;
            group[0].row.instance = instance;
            group[0].row.generation = generation;
            co_await table->write(group);
        };
        stage.play(call());
    }
    void refresh()
    {
        auto call = [&]() -> awaitable<void> { co_await directory->refresh(); };
        stage.play(call());
    }
    std::vector<std::string> names(std::string const& service, std::string const& project = "default") const
    {
        std::vector<std::string> out;
        for (auto const* client : directory->of_service({project, service}))
            out.emplace_back(client->instance());
        return out;
    }
};

} // namespace

TEST_CASE("before its first reading the directory says that a client may be live")
{
    fixture f;
    CHECK(f.directory->find("c1") == nullptr);
    CHECK(f.directory->read_at() == instant::min());
    f.refresh();
    CHECK(f.directory->read_at() > instant::min());
}

TEST_CASE("the directory lists more clients than a page, in order of instance, each with its home and handlers")
{
    fixture f;
    for (int i = 0; i < 2'100; ++i)
        f.put("c" + std::to_string(9'999 - i), "billing", i % 2 == 0 ? "n1" : "n2");
    f.put("d", "shipping", "n1", {"pack", "send"});
    f.refresh();
    CHECK(f.directory->size() == 2'101);
    auto const all = f.names("billing");
    REQUIRE(all.size() == 2'100);
    CHECK(std::is_sorted(all.begin(), all.end()));
    auto const* one = f.directory->find("d");
    REQUIRE(one != nullptr);
    CHECK(*one->home == "n1");
    CHECK(one->serves("send"));
    CHECK_FALSE(one->serves("close-day"));
    CHECK(f.directory->homes() == std::map<std::string, std::size_t>{{"n1", 1'051}, {"n2", 1'050}});
}

TEST_CASE("moves, new services, drains and ends are read as changes")
{
    fixture f;
    for (auto const* name : {"c1", "c2", "c3"})
        f.put(name);
    f.refresh();
    f.put("c1", "billing", "n2");
    f.put("c2", "shipping");
    f.bury("c3");
    f.refresh();
    CHECK(f.names("billing") == std::vector<std::string>{"c1"});
    CHECK(f.names("shipping") == std::vector<std::string>{"c2"});
    CHECK(*f.directory->find("c1")->home == "n2");
    CHECK(f.gone == std::vector<std::string>{"c3"});
    f.refresh(); // the same rows again
    CHECK(f.gone.size() == 1);
    CHECK(f.directory->homes() == std::map<std::string, std::size_t>{{"n1", 1}, {"n2", 1}});
}

TEST_CASE("the clients of a node that is gone are gone with it")
{
    fixture f;
    for (int i = 0; i < 501; ++i) // more than are written at a time
        f.put("c" + std::to_string(i));
    f.put("other", "billing", "n2");
    f.refresh();
    auto call = [&]() -> awaitable<void> { co_await f.directory->bury_heard_by("n1"); };
    f.stage.play(call());
    CHECK(f.names("billing") == std::vector<std::string>{"other"});
    CHECK(f.gone.size() == 501);
}

TEST_CASE("two projects with a service of the same name have clients of their own")
{
    fixture f;
    f.put("c1");
    f.put("c2", "billing", "n1", {"close-day"}, "theirs");
    f.put("c3");
    f.refresh();
    CHECK(f.names("billing") == std::vector<std::string>{"c1", "c3"});
    CHECK(f.names("billing", "theirs") == std::vector<std::string>{"c2"});
    CHECK(f.names("billing", "third").empty());
    f.put("c3", "billing", "n1", {"close-day"}, "theirs"); // it changes its project
    f.bury("c3");
    f.put("c1", "billing", "n1", {"close-day"}, "theirs");
    f.refresh();
    CHECK(f.names("billing").empty());
    CHECK(f.names("billing", "theirs") == std::vector<std::string>{"c1", "c2"});
}

} // namespace client_directory_test
