// Writes of the schemas that the clients of a node announce, in virtual time.

#include "tests/unit/trigger/clients/two_nodes.hpp"

#include <catch2/catch.hpp>

namespace schema_writer_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::vector<protocol::handler_schema> schemas_of(int build)
{
    protocol::handler_schema one;
    one.handler = "close-day";
    one.schema = protocol::json_text(nlohmann::json{{"title", std::to_string(build)}});
    return {one};
}

struct bench {
    sim::stage stage{1};
    sim::host& host = stage.add_host("node");
    std::vector<std::size_t> writes; // documents in each
    bool away = false;
    schema_writer writer{[this](std::vector<storage::schema_document> documents) { return store(documents.size()); },
                         host.time(), stage.loop.get_executor()};

    bench() { host.spawn(writer.run()); }
    ~bench() { stage.end(); }

    awaitable<void> store(std::size_t documents)
    {
        co_await host.time().sleep_for(5ms);
        if (away)
            throw unavailable("no database");
        writes.push_back(documents);
    }
    std::string announce(int build, std::string const& service = "billing")
    {
        return writer.announce({"default", service}, schemas_of(build));
    }
};

} // namespace

TEST_CASE("a hundred thousand clients of one build cost one write of their schemas", "[large]")
{
    bench f;
    auto const name = f.announce(1);
    for (int i = 0; i < 100'000; ++i)
        if (f.announce(1) != name)
            FAIL("another name for the same schemas");
    f.stage.time.run_for(1s);
    CHECK(f.writes == std::vector<std::size_t>{1});
    CHECK(f.writer.announce({"default", "billing"}, {}).empty());
    f.stage.time.run_for(61min);
    CHECK(f.announce(1) == name);
    f.stage.time.run_for(1s);
    CHECK(f.writes.size() == 2);
}

TEST_CASE("schemas that are announced at the same time are written in groups")
{
    bench f;
    for (int i = 0; i < 40; ++i)
        f.announce(i, i < 20 ? "billing" : "stock");
    f.stage.time.run_for(1s);
    CHECK(f.writes == std::vector<std::size_t>{16, 16, 8});
    CHECK(f.writer.waiting() == 0);
}

TEST_CASE("schemas wait while the database is away, and the queue is bounded for each service")
{
    bench f;
    f.away = true;
    for (int i = 0; i < 1'000; ++i)
        f.announce(i);
    f.announce(1, "stock");
    f.stage.time.run_for(10s);
    CHECK(f.writer.waiting() == 21);
    f.away = false;
    f.stage.time.run_for(3s);
    CHECK(f.writes == std::vector<std::size_t>{16, 5});
}

TEST_CASE("a registration writes the name of its schemas into the row, and a drained client keeps it")
{
    two_nodes f;
    auto request = make_request();
    request.instance = "host:2";
    request.schemas = schemas_of(1);
    auto const join = [&]() -> awaitable<void> { co_await f.a->clients.join(request); };
    f.stage.play(join());
    f.pass(1s);
    auto const name = protocol::schema_set_of(protocol::document_of(schemas_of(1)));
    storage::handler_schemas table(*f.a->database);
    storage::clients rows(*f.a->database);
    std::string in_row;
    std::size_t documents = 0;
    auto const look = [&]() -> awaitable<void> {
        std::vector<std::string> const wanted{"host:2"};
        auto const found = co_await rows.find(wanted);
        in_row = found.at(0).schema_set;
        protocol::service_key const billing{"default", "billing"};
        auto const announced = co_await table.of(billing);
        documents = announced.documents.count(name);
    };
    f.stage.play(look());
    CHECK(in_row == name);
    CHECK(documents == 1);

    protocol::heartbeat_request beat;
    beat.instance = "host:2";
    beat.generation = 1;
    beat.draining = true;
    auto const drain = [&]() -> awaitable<void> { co_await f.a->clients.beat(beat); };
    f.stage.play(drain());
    f.stage.play(look());
    CHECK(in_row == name);
}

} // namespace schema_writer_test
