#include "libs/base/error.hpp"
#include "libs/protocol/task.hpp"

#include <catch2/catch.hpp>

namespace labels_test {

using namespace baton;
using namespace baton::protocol;
using Catch::Contains;
using nlohmann::json;

namespace {

json task_with(json members)
{
    json task{{"name", "a"}, {"service", "s"}, {"handler", "h"}, {"schedule", {{"kind", "api"}}}};
    task.update(members);
    return task;
}

} // namespace

TEST_CASE("owner and labels of a task are read strictly and shown", "[protocol]")
{
    CHECK(to_json(parse_task(task_with(json::object()))).at("labels") == json::object());
    auto const read =
        parse_task(task_with({{"owner", "team billing"}, {"labels", {{"team", "billing"}, {"env", "prod: eu"}}}}));
    CHECK(read.owner == "team billing");
    CHECK(read.labels == labels{{"env", "prod: eu"}, {"team", "billing"}});
    CHECK(parse_task(to_json(read)).labels == read.labels);

    CHECK_THROWS_WITH(parse_task(task_with({{"owner", " x"}})), Contains("owner must have no control characters"));
    CHECK_THROWS_WITH(parse_task(task_with({{"owner", "a\nb"}})), Contains("owner must have no control characters"));
    CHECK_THROWS_WITH(parse_task(task_with({{"labels", {{"Team", "x"}}}})),
                      Contains("the name of a label has 1 to 63 characters of a-z") && Contains("not 'Team'"));
    CHECK_THROWS_WITH(parse_task(task_with({{"labels", {{"team", 7}}}})), Contains("labels.team must be a string"));
    CHECK_THROWS_WITH(parse_task(task_with({{"labels", {{"team", "a,b"}}}})),
                      Contains("labels.team must have at most 100 characters, without commas"));
    CHECK_THROWS_WITH(parse_task(task_with({{"labels", json::array()}})), Contains("labels must be an object"));
    json many = json::object();
    for (int i = 0; i < 33; ++i)
        many["n" + std::to_string(i)] = "";
    CHECK_THROWS_WITH(parse_task(task_with({{"labels", many}})), Contains("with at most 32 members"));
}

TEST_CASE("a patch adds and removes single labels, and null removes all", "[protocol]")
{
    auto const task = parse_task(task_with({{"labels", {{"team", "billing"}, {"env", "prod"}}}}));
    CHECK(patch_task(task, {{"labels", {{"env", nullptr}, {"tier", "1"}}}}).labels ==
          labels{{"team", "billing"}, {"tier", "1"}});
    CHECK(patch_task(task, {{"labels", nullptr}}).labels.empty());
}

TEST_CASE("a filter names labels and their values", "[protocol]")
{
    CHECK(parse_label_filter("team:billing") == labels{{"team", "billing"}});
    CHECK(parse_label_filter("team:billing,env:a:b") == labels{{"env", "a:b"}, {"team", "billing"}});
    CHECK(parse_label_filter("team:") == labels{{"team", ""}});
    CHECK_THROWS_WITH(parse_label_filter("team"), Contains("label must be a name and a value, such as team:billing"));
    CHECK_THROWS_WITH(parse_label_filter("team:a,"), Contains("label must be a name and a value"));
    CHECK_THROWS_WITH(parse_label_filter("team:a,team:b"), Contains("label names 'team' twice"));
    CHECK_THROWS_WITH(parse_label_filter(":a"), Contains("the name of a label has 1 to 63 characters"));
}

} // namespace labels_test
