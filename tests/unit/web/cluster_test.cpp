#include "tests/unit/web/harness.hpp"

namespace cluster_test {

using namespace baton;
using namespace baton::web::test;
using http::verb;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

} // namespace

TEST_CASE("the nodes are shown with the lease that names the master")
{
    auto const web = arrange(engines());
    auto const before = web->got(200, "/api/v1/nodes");
    CHECK(before.at("items").empty());
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    auto const now = web->got(200, "/api/v1/nodes");
    REQUIRE(now.at("items").size() == 1);
    auto const& node = now.at("items")[0];
    CHECK(node.at("master") == true);
    CHECK(node.at("alive") == true);
    CHECK(node.at("load") == 0.25);
    CHECK(node.at("loops") == nlohmann::json::parse(loops_of_alpha));
    CHECK(node.at("epoch") == now.at("lease").at("epoch"));
    CHECK(now.at("lease").at("owner") == "host:1:boot:aa");
    CHECK(now.at("lease").at("expired") == false);
    CHECK(now.at("lease").at("seconds_left") > 30.0);
    CHECK(now.at("lease").at("seconds_left") <= 60.0);
    CHECK(now.dump().find("s3cret") == std::string::npos);
}

TEST_CASE("only the owner of an unexpired lease is shown as master, whatever the others' last heartbeats said")
{
    auto const web = arrange(engines());
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    storage::node_record dead; // it was master until a moment ago
    dead.incarnation = "host:2:boot:bb";
    dead.name = "beta";
    dead.role = "master";
    dead.ttl = 60s;
    dead.started_at = web->time.utc();
    storage::nodes all(*web->shared);
    wait_for(all.beat(dead));
    auto const nodes = web->got(200, "/api/v1/nodes");
    REQUIRE(nodes.at("items").size() == 2);
    for (auto const& node : nodes.at("items")) {
        bool const owns = node.at("incarnation") == nodes.at("lease").at("owner");
        CHECK(node.at("role") == (owns ? "master" : "slave"));
        CHECK(node.at("master") == owns);
    }
}

TEST_CASE("a node is silent once two of its heartbeats are missing, until it counts as gone")
{
    auto const web = arrange(engines());
    storage::node_record node;
    node.incarnation = "host:2:boot:bb";
    node.name = "beta";
    node.role = "slave";
    node.ttl = 60s;
    node.started_at = web->time.utc();
    storage::nodes all(*web->shared);
    // The row, `age` after its last heartbeat.
    auto const shown = [&](std::string const& health, duration age) {
        node.health = health;
        wait_for(all.beat(node));
        web->data.exec("UPDATE node SET heartbeat_at = heartbeat_at - " + std::to_string(age.count()));
        return web->got(200, "/api/v1/nodes").at("items").at(0);
    };
    auto const tells = R"({"loops":[],"heartbeat_ms":10000})";
    auto const fresh = shown(tells, 15s);
    CHECK(fresh.at("clock_offset_ms").is_null());
    CHECK(shown(R"({"loops":[],"clock_offset_ms":-12})", 15s).at("clock_offset_ms") == -12);
    CHECK(fresh.at("contact") == "steady");
    CHECK(shown(R"({"loops":[],"contact":"cut_off"})", 15s).at("contact") == "cut_off");
    CHECK(shown(R"({"loops":[],"contact":7})", 15s).at("contact") == "steady");
    CHECK(fresh.at("heartbeat_ms") == 10'000);
    CHECK(fresh.at("silent") == false);
    auto const late = shown(tells, 21s);
    CHECK(late.at("alive") == true);
    CHECK(late.at("silent") == true);
    auto const gone = shown(tells, 61s);
    CHECK(gone.at("alive") == false);
    CHECK(gone.at("silent") == false);
    auto const older = shown("{}", 25s); // does not tell its heartbeat
    CHECK(older.at("heartbeat_ms").is_null());
    CHECK(older.at("silent") == false);
    CHECK(shown("{}", 31s).at("silent") == true);
}

TEST_CASE("a free lease has no owner and no time left")
{
    auto const web = arrange(engines());
    wait_for(web->lease->ensure());
    auto const lease = web->got(200, "/api/v1/nodes").at("lease");
    CHECK(lease.at("owner").is_null());
    CHECK(lease.at("seconds_left") == 0.0);
}

TEST_CASE("the zone databases of the cluster are shown, the latest first")
{
    auto const web = arrange(engines());
    CHECK(web->got(200, "/api/v1/zones") == json({{"items", json::array()}, {"web", nullptr}}));
    auto const insert = [&](std::string const& number, std::string const& name, std::string const& changed) {
        web->data.exec("INSERT INTO zone_version (namespace, version, name, fingerprints, changed, valid_from, "
                       "recorded_at, recorded_by) VALUES (1, " +
                       number + ", '" + name + "', '{}', '" + changed + "', " + number +
                       "000000, 1000000, 'trigger-1')");
    };
    insert("1", "2025a-00000000", "[]");
    insert("2", "2025b-00000000", R"(["Europe/Berlin"])");
    auto const items = web->got(200, "/api/v1/zones").at("items");
    REQUIRE(items.size() == 2);
    CHECK(items[0].at("zones") == "2025b-00000000");
    CHECK(items[0].at("changed") == json::array({"Europe/Berlin"}));
    CHECK(items[0].at("recorded_by") == "trigger-1");
    CHECK(items[1].at("version") == 1);
    CHECK(items[1].at("changed") == json::array());
    web->problem(400, web->get("/api/v1/zones?x=1"));
}

namespace {

// Terms 2 to `last`, a minute each. All but the first began ten seconds after the end of the one before.
void add_terms(site_on_store& web, int last)
{
    for (int epoch = 2; epoch <= last; ++epoch) {
        auto const began = std::to_string(1'800'000'000'000'000 + epoch * 60'000'000LL);
        bool const first = epoch == 2;
        bool const lasts = epoch == last;
        web.data.exec("INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, gap_us, ended_at, "
                      "why_ended, replayed) VALUES ('master', " +
                      std::to_string(epoch) + ", 'host:1:boot:x', 'trigger-" + std::to_string(epoch % 3) + "', '" +
                      (first ? "free" : "guard") + "', " + began + ", " + began + " + 4000, " +
                      (first ? "NULL" : "10004321") + ", " + (lasts ? "NULL" : began + " + 50000000") + ", " +
                      (lasts ? "NULL" : "'its session ended'") + ", 5)");
    }
}

} // namespace

TEST_CASE("the history of terms is shown newest first, in pages, with gaps and reasons")
{
    auto const web = arrange(engines());
    auto const none = web->got(200, "/api/v1/terms");
    CHECK(none.at("items").empty());
    CHECK(none.at("next").is_null());
    add_terms(*web, 6);

    auto const page = web->got(200, "/api/v1/terms?limit=2");
    REQUIRE(page.at("items").size() == 2);
    auto const& present = page.at("items")[0];
    CHECK(present.at("epoch") == 6);
    CHECK(present.at("node") == "trigger-0");
    CHECK(present.at("how") == "guard");
    CHECK(present.at("began_at") == "2027-01-15T08:06:00.000000Z");
    CHECK(present.at("acting_at") == "2027-01-15T08:06:00.004000Z");
    CHECK(present.at("gap_ms") == 10'004);
    CHECK(present.at("ended_at").is_null());
    CHECK(present.at("why_ended").is_null());
    CHECK(present.at("replayed") == 5);
    CHECK(page.at("items")[1].at("why_ended") == "its session ended");

    auto const rest = web->got(200, "/api/v1/terms?after=" + page.at("next").get<std::string>());
    REQUIRE(rest.at("items").size() == 3);
    CHECK(rest.at("items")[0].at("epoch") == 4);
    CHECK(rest.at("items")[2].at("gap_ms").is_null());
    CHECK(rest.at("next").is_null());
}

TEST_CASE("the list of terms takes only whole numbers")
{
    auto const web = arrange(storage::engine::sqlite);
    for (auto const* bad : {"limit=0", "limit=501", "after=x", "after=0", "after=", "namespace=master"})
        web->problem(400, web->get("/api/v1/terms?" + std::string(bad)));
}

TEST_CASE("the nodes are shown with the last failover and the gap without a master")
{
    auto const web = arrange(engines());
    auto const never = web->got(200, "/api/v1/nodes");
    CHECK(never.at("last_gap_ms").is_null());
    CHECK(never.at("last_failover").is_null());
    add_terms(*web, 2);
    CHECK(web->got(200, "/api/v1/nodes").at("last_failover").is_null());
    web->data.exec("DELETE FROM term");
    add_terms(*web, 4);
    auto const now = web->got(200, "/api/v1/nodes");
    CHECK(now.at("last_gap_ms") == 10'004);
    json const expected{{"epoch", 4},        {"from", "trigger-0"},
                        {"to", "trigger-1"}, {"at", "2027-01-15T08:04:00.004000Z"},
                        {"how", "guard"},    {"why", "its session ended"}};
    CHECK(now.at("last_failover") == expected);
    web->data.exec("DELETE FROM term WHERE epoch < 4"); // forgotten
    CHECK(web->got(200, "/api/v1/nodes").at("last_failover").at("from").is_null());
}

TEST_CASE("the master is notified of an edit, a run and a cancellation at once, with its own secret")
{
    auto const web = arrange(engines());
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    auto const task = web->posted(201, "/api/v1/tasks", sample("told"));
    CHECK(task.at("master_notified") == true);
    auto const path = "/api/v1/tasks/" + task.at("id").get<std::string>();
    auto const run = web->posted(202, path + "/run");
    auto const execution = run.at("execution").get<std::string>();
    CHECK(web->posted(202, "/api/v1/executions/" + execution + "/cancel").at("master_notified") == true);
    REQUIRE(web->call(verb::del, path).status == 200);

    REQUIRE(web->http.seen.size() == 4);
    std::vector<std::string> kinds;
    for (auto const& sent : web->http.seen) {
        CHECK(sent.to == "http://127.0.0.1:7801");
        CHECK(sent.target == protocol::path_signal);
        CHECK(sent.authorization == "Bearer s3cret");
        CHECK(sent.limit == 500ms);
        CHECK(sent.body.at("id") > 0);
        kinds.push_back(sent.body.at("kind"));
    }
    CHECK(kinds == std::vector<std::string>{"task", "run", "cancel", "task"});
    CHECK(std::to_string(web->http.seen[1].body.at("subject").get<std::int64_t>()) == execution);
    CHECK(web->data.number("SELECT COUNT(*) FROM `signal`") == 4);
}

TEST_CASE("a master that does not answer, refuses or is absent costs only the notification")
{
    auto const web = arrange(engines());
    CHECK(web->posted(201, "/api/v1/tasks", sample("nobody leads")).at("master_notified") == false);
    CHECK(web->http.seen.empty());
    web->lead("host:1:boot:aa", "http://127.0.0.1:7801", "s3cret");
    web->http.status = 0;
    CHECK(web->posted(201, "/api/v1/tasks", sample("unreachable")).at("master_notified") == false);
    web->http.status = 409;
    CHECK(web->posted(201, "/api/v1/tasks", sample("refusing")).at("master_notified") == false);
    web->http.status = 200;
    CHECK(web->posted(201, "/api/v1/tasks", sample("again there")).at("master_notified") == true);
    CHECK(web->data.number("SELECT COUNT(*) FROM task") == 4);
}

TEST_CASE("an invalid address in a node's row is not called")
{
    auto const web = arrange(storage::engine::sqlite);
    web->lead("host:1:boot:aa", "not an address", "s3cret");
    CHECK(web->posted(201, "/api/v1/tasks", sample("t")).at("master_notified") == false);
    CHECK(web->http.seen.empty());
}

TEST_CASE("an expression of Quartz and hashed values are explained")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const explain = [&](json const& body) { return web->posted(200, "/api/v1/cron/explain", body); };
    CHECK(explain({{"cron", "0 0 2 L * ?"}, {"dialect", "quartz"}}).at("description") ==
          "at 02:00 on the last day of every month in UTC");
    auto const by_name = explain({{"cron", "H 2 * * *"}, {"project", "shop"}, {"name", "close-day"}});
    auto const by_seed = explain({{"cron", "H 2 * * *"}, {"hash_seed", by_name.at("hash_seed")}});
    CHECK(by_name == by_seed);
    CHECK(explain({{"cron", "H 2 * * *"}, {"name", "close-day"}}).at("hash_seed") != by_name.at("hash_seed"));

    auto const field = [&](json const& body) {
        return web->problem(422, web->post("/api/v1/cron/explain", body)).at("field").get<std::string>();
    };
    CHECK(field({{"cron", "0 0 2 L * ?"}}) == "cron");
    CHECK(field({{"cron", "H 2 * * *"}}) == "hash_seed");
    CHECK(field({{"cron", "0 2 * * *"}, {"dialect", "cron"}}) == "dialect");
    CHECK(field({{"cron", "0 2 * * *"}, {"gap", "later"}}) == "gap");
    CHECK(field({{"cron", "H 2 * * *"}, {"name", "a/b"}}) == "name");
}

TEST_CASE("a cron expression is explained in words and by its next firings")
{
    auto const web = arrange(storage::engine::sqlite);
    auto const answer =
        web->posted(200, "/api/v1/cron/explain", {{"cron", "30 2 * * 1"}, {"zone", "Europe/Berlin"}, {"count", 3}});
    CHECK(answer.at("description") == "at 02:30 on Monday in Europe/Berlin");
    REQUIRE(answer.at("next").size() == 3);
    CHECK(answer.at("next")[0].at("local").get<std::string>().substr(10, 9) == "T02:30:00");
    CHECK(web->posted(200, "/api/v1/cron/explain", {{"cron", "@daily"}}).at("next").size() == 5);
    CHECK(answer.at("notes").empty());
    auto const met = web->posted(200, "/api/v1/cron/explain", {{"cron", "0,30 2 * 3 *"}, {"zone", "Europe/Berlin"}});
    REQUIRE(met.at("notes").size() == 1);
    CHECK(met.at("notes")[0].at("kind") == "gap");
    CHECK(met.at("notes")[0].at("text").get<std::string>().find("fires once, at 03:00, for all of them") !=
          std::string::npos);

    auto const field = [&](json const& body) {
        return web->problem(422, web->post("/api/v1/cron/explain", body)).at("field").get<std::string>();
    };
    CHECK(field({{"cron", "0 0 30 2 *"}}) == "cron");
    CHECK(field({{"cron", "* * * * *"}, {"zone", "Mars/Base"}}) == "zone");
    CHECK(field({{"cron", "* * * * *"}, {"count", 0}}) == "count");
    CHECK(field({{"zone", "UTC"}}) == "cron");
    CHECK(field({{"cron", "* * * * *"}, {"tz", "UTC"}}) == "tz");
}

TEST_CASE("only callers of the API are told why a site is not ready")
{
    web::settings how;
    how.token = "shared";
    auto const web = arrange(storage::engine::sqlite, how);
    web->data.exec("DELETE FROM schema_version");
    CHECK(web->problem(503, web->get("/readyz")).at("detail") == "not ready");
    CHECK(web->problem(503, web->get("/readyz", {{"Authorization", "Bearer other"}})).at("detail") == "not ready");
    auto const told = web->problem(503, web->get("/readyz", {{"Authorization", "Bearer shared"}}));
    CHECK(told.at("detail").get<std::string>().find("baton migrate") != std::string::npos);
}

TEST_CASE("a site is healthy when its process runs and ready when the schema has its version")
{
    auto const web = arrange(engines());
    CHECK(web->got(200, "/healthz").at("status") == "ok");
    CHECK(web->got(200, "/readyz").at("status") == "ready");
    web->data.exec("DELETE FROM schema_version");
    web->problem(503, web->get("/readyz"));
    CHECK(web->got(200, "/healthz").at("status") == "ok");
}

} // namespace cluster_test
