#include "tests/unit/web/harness.hpp"

namespace labels_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

json owned(std::string name, std::string owner, json labels)
{
    auto task = sample(std::move(name));
    task["owner"] = std::move(owner);
    task["labels"] = std::move(labels);
    return task;
}

std::string names(json const& page)
{
    std::string all;
    for (auto const& each : page.at("items"))
        all += each.at("name").get<std::string>() + " ";
    return all;
}

} // namespace

TEST_CASE("tasks are listed by owner and by labels, also after an edit and a deletion")
{
    auto const web = arrange(engines());
    auto const one = web->create(owned("one", "ann", {{"team", "billing"}, {"env", "prod"}}));
    auto const two = web->create(owned("two", "bob", {{"team", "billing"}}));
    web->create(sample("three"));
    auto const listed = [&](std::string const& query) { return names(web->got(200, "/api/v1/tasks?" + query)); };
    CHECK(listed("owner=ann") == "one ");
    CHECK(listed("label=team:billing") == "one two ");
    CHECK(listed("label=team:billing,env:prod") == "one ");
    CHECK(listed("label=team:other").empty());
    CHECK(listed("owner=bob&label=env:prod").empty());
    CHECK(web->got(200, "/api/v1/tasks/" + one).at("labels") == json{{"team", "billing"}, {"env", "prod"}});

    auto const patched = web->call(verb::patch, "/api/v1/tasks/" + two,
                                   json{{"owner", "ann"}, {"labels", {{"env", "prod"}, {"team", nullptr}}}}.dump(),
                                   {{"Content-Type", "application/json"}});
    REQUIRE(patched.status == 200);
    CHECK(listed("owner=ann") == "one two ");
    CHECK(listed("label=team:billing") == "one ");
    CHECK(listed("label=env:prod") == "one two ");
    REQUIRE(web->call(verb::del, "/api/v1/tasks/" + one).status == 200);
    CHECK(listed("label=env:prod") == "two ");
}

TEST_CASE("labels of a wrong form are refused by their field")
{
    auto const web = arrange(engines());
    CHECK(web->problem(422, web->post("/api/v1/tasks", owned("a", "", {{"team", "a,b"}}))).at("field") ==
          "labels.team");
    CHECK(web->problem(422, web->post("/api/v1/tasks", owned("a", " x", json::object()))).at("field") == "owner");
    CHECK(web->problem(400, web->get("/api/v1/tasks?label=team")).at("field") == "label");
}

} // namespace labels_test
