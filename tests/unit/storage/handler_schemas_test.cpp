// The documents of handlers' schemas, and the clients that name them.

#include "libs/storage/handler_schemas.hpp"
#include "tests/unit/storage/client_rows.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace handler_schemas_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

protocol::service_key const billing{"default", "it's"};

storage::schema_document document(std::string const& title, protocol::service_key service = billing)
{
    protocol::handler_schema one;
    one.handler = "a";
    one.schema = protocol::json_text(nlohmann::json{{"title", title}});
    one.description = "it's \xc3\xa9\xf0\x9f\x98\x80";
    storage::schema_document out;
    out.service = std::move(service);
    out.text = protocol::document_of({one});
    out.hash = protocol::schema_set_of(out.text);
    return out;
}

storage::client_record client_with(std::string instance, storage::schema_document const& announced)
{
    auto row = client(std::move(instance), "n1");
    row.schema_set = announced.hash;
    return row;
}

std::int64_t stored(store& home)
{
    return home.number("SELECT COUNT(*) FROM handler_schema");
}

} // namespace

TEST_CASE("clients that register together keep the names of their documents, and leave them out later")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    storage::handler_schemas schemas(*database);
    std::vector<storage::client_write> group(3);
    group[0].row = client_with("c1", document("one"));
    group[1].row = client_with("c2", document("two"));
    group[2].row = client("c3", "n1");
    group[2].row.handlers = {"a", "/gpu"};
    wait_for(clients.write(group));
    wait_for(schemas.keep({document("one"), document("two"), document("one", {"shop", "it's"})}));
    CHECK(wait_for(clients.find({"c1"})).at(0).schema_set == document("one").hash);

    auto const found = wait_for(schemas.of(billing));
    REQUIRE(found.groups.size() == 3);
    for (auto const& each : found.groups) {
        CHECK(each.clients == 1);
        CHECK(each.joined_at > from_micros(1'700'000'000'000'000));
        if (each.schema_set.empty())
            CHECK(each.handlers == std::vector<std::string>{"a"});
    }
    REQUIRE(found.documents.size() == 2);
    auto const& one = found.documents.at(document("one").hash).at(0);
    CHECK(one.schema.parse() == nlohmann::json{{"title", "one"}});
    CHECK(one.description == "it's \xc3\xa9\xf0\x9f\x98\x80");

    wait_for(clients.put(client("c1", "n2", 2)));
    CHECK(wait_for(clients.find({"c1"})).at(0).schema_set.empty());
    leave(clients, "c2", 1);
    CHECK(wait_for(schemas.of(billing)).groups.size() == 2);
}

TEST_CASE("clients that are alike are counted together")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    storage::handler_schemas schemas(*database);
    std::vector<storage::client_write> group(600); // in two statements
    for (std::size_t i = 0; i < group.size(); ++i)
        group[i].row = client_with("c" + std::to_string(i), document(i % 2 == 0 ? "one" : "two"));
    wait_for(clients.write(group));
    auto const found = wait_for(schemas.of(billing));
    REQUIRE(found.groups.size() == 2);
    CHECK(found.groups[0].clients == 300);
    CHECK(found.groups[1].clients == 300);
    CHECK(found.documents.empty()); // not written yet
}

TEST_CASE("a document that is written again counts as seen again")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::handler_schemas schemas(*database);
    wait_for(schemas.keep({document("one")}));
    home.exec("UPDATE handler_schema SET seen_at = 5");
    wait_for(schemas.keep({document("one")}));
    CHECK(stored(home) == 1);
    CHECK(home.number("SELECT seen_at FROM handler_schema") > 5);
}

TEST_CASE("a service keeps the twenty documents that were seen last")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::handler_schemas schemas(*database);
    wait_for(schemas.keep({document("of another", {"default", "stock"})}));
    for (int i = 0; i < 20; ++i) {
        wait_for(schemas.keep({document(std::to_string(i))}));
        home.exec("UPDATE handler_schema SET seen_at = " + std::to_string(100 + i) + " WHERE hash = '" +
                  document(std::to_string(i)).hash + "'");
    }
    wait_for(schemas.keep({document("0")})); // seen again
    CHECK(stored(home) == 21);
    wait_for(schemas.keep({document("20"), document("21")}));
    CHECK(stored(home) == 21);
    auto const kept = wait_for(schemas.of(billing)).documents;
    CHECK(kept.contains(document("0").hash));
    CHECK_FALSE(kept.contains(document("1").hash));
    CHECK_FALSE(kept.contains(document("2").hash));
    CHECK(kept.contains(document("3").hash));
    CHECK(kept.contains(document("21").hash));
}

TEST_CASE("a document that no client names is deleted after a day, and one that a client names stays")
{
    store home(GENERATE(engine::mysql, engine::sqlite));
    auto const database = home.migrated().open();
    storage::clients clients(*database);
    storage::handler_schemas schemas(*database);
    wait_for(clients.put(client_with("c1", document("named"))));
    wait_for(schemas.keep({document("named"), document("old"), document("new"), document("named", {"shop", "it's"})}));
    wait_for(schemas.purge(24h));
    CHECK(stored(home) == 4);
    home.exec("UPDATE handler_schema SET seen_at = 5 WHERE hash <> '" + document("new").hash + "'");
    wait_for(schemas.purge(24h));
    CHECK(stored(home) == 2);
    auto const kept = wait_for(schemas.of(billing)).documents;
    CHECK(kept.contains(document("named").hash));
    CHECK(kept.contains(document("new").hash));
    CHECK(home.number("SELECT MIN(seen_at) FROM handler_schema") > 5); // looked at again in a day
}

} // namespace handler_schemas_test
