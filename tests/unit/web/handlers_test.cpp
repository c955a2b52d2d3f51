#include "tests/unit/web/harness.hpp"
#include "web/handler_list.hpp"

namespace handlers_test {

using namespace baton;
using namespace baton::web::test;
using web::show_handlers;

namespace {

using announced = storage::handler_schemas::announced;

protocol::handler_schema entry(std::string handler, json const& schema, std::string description = {})
{
    protocol::handler_schema one;
    one.handler = std::move(handler);
    one.schema = protocol::json_text(schema);
    one.description = std::move(description);
    return one;
}

void add(announced& to, std::vector<std::string> handlers, std::int64_t clients, std::int64_t joined_at,
         std::string document)
{
    storage::handler_schemas::group group;
    group.handlers = std::move(handlers);
    group.clients = clients;
    group.joined_at = from_micros(joined_at);
    group.schema_set = std::move(document);
    to.groups.push_back(std::move(group));
}

json const object = {{"type", "object"}};
json const list = {{"type", "array"}};

// Writes a client's row and its document.
void join(site_on_store& web, std::string instance, protocol::handler_schema const& announces)
{
    storage::schema_document document;
    document.service = {"default", "stock"};
    document.text = protocol::document_of({announces});
    document.hash = protocol::schema_set_of(document.text);
    storage::client_record row;
    row.instance = std::move(instance);
    row.service = "stock";
    row.address = "http://127.0.0.1:4711";
    row.handlers = {announces.handler, "plain", "/gpu"};
    row.node = "node-1";
    row.generation = 1;
    row.schema_set = document.hash;
    storage::clients clients(*web.shared);
    storage::handler_schemas schemas(*web.shared);
    wait_for(clients.put(row));
    wait_for(schemas.keep({document}));
}

} // namespace

TEST_CASE("handlers are shown in order with the number of their clients")
{
    announced found;
    add(found, {"remind", "close-day"}, 3, 10, "");
    add(found, {"remind"}, 2, 20, "no longer kept");
    CHECK(show_handlers(found) == json::parse(R"({"items": [
        {"handler": "close-day", "clients": 3, "schema": null, "description": null, "schemas": 0},
        {"handler": "remind", "clients": 5, "schema": null, "description": null, "schemas": 0}]})"));
    CHECK(show_handlers({}) == json::parse(R"({"items": []})"));
}

TEST_CASE("a handler has the schema of the client that joined last of those that announce one")
{
    announced found;
    found.documents["old"] = {entry("remind", object, "Reminds"), entry("gone", true)};
    found.documents["new"] = {entry("remind", list, "Reminds by mail")};
    found.documents["silent"] = {entry("close-day", false)};
    add(found, {"remind"}, 1, 10, "old");
    add(found, {"remind"}, 1, 20, "new");
    add(found, {"close-day", "remind"}, 1, 30, "silent");
    auto const items = show_handlers(found).at("items");
    REQUIRE(items.size() == 2); // no client has the third
    CHECK(items.at(0).at("schema") == false);
    CHECK(items.at(1) == json{{"handler", "remind"},
                              {"clients", 3},
                              {"schema", list},
                              {"description", "Reminds by mail"},
                              {"schemas", 2}});
}

TEST_CASE("equal schemas that are written in different ways are one")
{
    announced found;
    auto one = entry("remind", nullptr);
    one.schema = protocol::json_text::checked(R"({"type": "object", "title": "a"})");
    auto other = one;
    other.schema = protocol::json_text::checked(R"({"title":"a","type":"object"})");
    found.documents = {{"one", {one}}, {"other", {other}}};
    add(found, {"remind"}, 1, 10, "one");
    add(found, {"remind"}, 1, 20, "other");
    CHECK(show_handlers(found).at("items").at(0).at("schemas") == 1);
}

TEST_CASE("the handlers of a service are those of its clients, and an unknown service is refused")
{
    auto const web = arrange(GENERATE(storage::engine::sqlite, storage::engine::mysql));
    join(*web, "stock-1", entry("count", object, "Counts"));
    join(*web, "stock-2", entry("count", list));
    auto const items = web->got(200, "/api/v1/services/default/stock/handlers").at("items");
    REQUIRE(items.size() == 2);
    CHECK(items.at(0) ==
          json{{"handler", "count"}, {"clients", 2}, {"schema", list}, {"description", "Counts"}, {"schemas", 2}});
    CHECK(items.at(1).at("handler") == "plain");
    web->data.exec("UPDATE client SET state = 'gone' WHERE service = 'stock'");
    CHECK(web->got(200, "/api/v1/services/default/stock/handlers").at("items").empty());
    CHECK(web->got(404, "/api/v1/services/default/nix/handlers").at("field") == "service");
    web->got(400, "/api/v1/services/default/stock/handlers?limit=1");
}

} // namespace handlers_test
