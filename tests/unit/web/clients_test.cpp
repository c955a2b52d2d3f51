#include "libs/protocol/figures_wire.hpp"
#include "tests/unit/web/harness.hpp"

namespace clients_test {

using namespace baton;
using namespace baton::web::test;

namespace {

auto engines()
{
    return GENERATE(storage::engine::sqlite, storage::engine::mysql);
}

} // namespace

TEST_CASE("a client that its home cannot reach is shown with the reason")
{
    auto const web = arrange(engines());
    auto const shown = [&] { return web->got(200, "/api/v1/clients").at("items")[0]; };
    CHECK(shown().at("reach") == "pending");
    CHECK(shown().at("reach_why").is_null());
    web->data.exec("UPDATE client SET reach = 'unreachable', reach_why = 'node a cannot reach it'");
    CHECK(shown().at("reach") == "unreachable");
    CHECK(shown().at("reach_why") == "node a cannot reach it");
}

TEST_CASE("a client is shown with what its home tells of it")
{
    auto const web = arrange(engines());
    auto const first = web->got(200, "/api/v1/clients").at("items").at(0);
    CHECK(first.at("live").is_null());
    CHECK(first.at("live_code") == "node_unknown");
    CHECK(first.at("live_why") == "its node is not known");
    auto const other = arrange(engines());
    other->lead("node-1", "http://127.0.0.1:7801", "s3cret");
    json const told{{"instance", "default:billing-1"},
                    {"heard_ms", 40},
                    {"answered_ms", -1},
                    {"free_slots", 1},
                    {"in_flight", 2},
                    {"waiting", 3},
                    {"clock_told", true},
                    {"clock_offset_ms", -1'200},
                    {"refused_path", "/client/v1/results"},
                    {"refused_why", "status must be succeeded"},
                    {"refused_ms", 700}};
    other->http.body = {{"clients", json::array({told})}};
    auto const shown = other->got(200, "/api/v1/clients").at("items").at(0);
    CHECK(shown.at("live_code").is_null());
    CHECK(shown.at("live_why").is_null());
    auto const& live = shown.at("live");
    CHECK(live.at("heard_ms") >= 40);
    CHECK(live.at("answered_ms").is_null());
    CHECK(live.at("free_slots") == 1);
    CHECK(live.at("in_flight") == 2);
    CHECK(live.at("waiting") == 3);
    CHECK(live.at("clock_offset_ms") == -1'200);
    CHECK(live.at("refused") == json{{"path", "/client/v1/results"}, {"why", "status must be succeeded"}, {"ms", 700}});
    REQUIRE(other->http.seen.size() == 1);
    CHECK(other->http.seen[0].target == protocol::path_figures);
    CHECK(other->http.seen[0].limit == 300ms);
}

TEST_CASE("the clients come in pages, of all or of a project or service")
{
    auto const web = arrange(engines());
    web->join_client("mail", {"send"});
    web->join_client("billing", {"close-day"}, "shop");
    auto const names = [&](std::string const& query) {
        auto const page = web->got(200, "/api/v1/clients" + query);
        std::string out;
        for (auto const& each : page.at("items"))
            out += each.at("instance").get<std::string>() + ' ';
        return out;
    };
    CHECK(names("") == "default:billing-1 default:mail-1 shop:billing-1 ");
    CHECK(names("?project=shop") == "shop:billing-1 ");
    CHECK(names("?project=default&service=mail") == "default:mail-1 ");
    CHECK(names("?project=shop&service=mail").empty());
    auto const page = web->got(200, "/api/v1/clients?limit=2");
    CHECK(page.at("items").size() == 2);
    CHECK(page.at("next") == "default:mail-1");
    CHECK(names("?limit=2&after=default:mail-1") == "shop:billing-1 ");
    CHECK(web->got(200, "/api/v1/clients?limit=3").at("next").is_null());
    CHECK(names("?project=%C3%BC&service=%C3%BC").empty());
    CHECK(web->problem(400, web->get("/api/v1/clients?after=%C3%BC")).at("field") == "after"); // such names are ASCII
    CHECK(web->problem(400, web->get("/api/v1/clients?service=mail")).at("field") == "service");
    for (auto const* bad : {"limit=0", "limit=501", "limit=x", "name=x"})
        web->problem(400, web->get("/api/v1/clients?" + std::string(bad)));
}

TEST_CASE("a person drains a client and resumes it, and its home is told at once")
{
    auto const web = arrange(engines());
    web->lead("node-1", "http://127.0.0.1:7801", "s3cret");
    CHECK(web->got(200, "/api/v1/clients").at("items").at(0).at("drained").is_null());
    web->http.seen.clear();
    auto const path = std::string("/api/v1/clients/default:billing-1");
    auto const done = web->posted(200, path + "/drain", {{"reason", "new disk"}, {"by", "ann"}});
    CHECK(done.at("home_notified") == true);
    CHECK(done.at("home_code").is_null());
    CHECK(done.at("home_why").is_null());
    REQUIRE_FALSE(web->http.seen.empty());
    CHECK(web->http.seen[0].target == protocol::path_look_again);
    CHECK(web->http.seen[0].authorization == "Bearer s3cret");
    auto const& drained = done.at("client").at("drained");
    CHECK(drained.at("reason") == "new disk");
    CHECK(drained.at("by") == "ann");
    CHECK(drained.at("since").is_string());
    CHECK(web->got(200, "/api/v1/clients").at("items").at(0).at("drained") == drained);
    web->problem(409, web->post(path + "/drain", nullptr));
    CHECK(web->posted(200, path + "/resume").at("client").at("drained").is_null());
    web->problem(409, web->post(path + "/resume", nullptr));
    for (auto const* what : {"/drain", "/resume"}) {
        CHECK(web->problem(404, web->post(std::string("/api/v1/clients/none") + what, nullptr)).at("field") ==
              "instance");
        web->problem(422, web->post(path + what, {{"why", "x"}}));
        web->problem(422, web->post(path + what, {{"by", std::string(101, 'x')}}));
        CHECK(web->problem(422, web->post(path + what, {{"by", std::string("a\0b", 3)}})).at("field") == "by");
    }
    web->problem(404, web->post("/api/v1/clients/%C3%BC/drain", nullptr));
    web->data.exec("UPDATE client SET state = 'gone'");
    web->problem(404, web->post(path + "/resume", nullptr));
}

TEST_CASE("a drain of which the home was not told says why, and when the home obeys it")
{
    auto const web = arrange(engines());
    auto const path = std::string("/api/v1/clients/default:billing-1");
    auto const drained = [&] {
        auto const answer = web->posted(200, path + "/drain");
        web->data.exec("UPDATE client SET drained_at = NULL");
        CHECK(answer.at("home_notified") == false);
        return std::pair(answer.at("home_code").get<std::string>(), answer.at("home_why").get<std::string>());
    };
    CHECK(drained().first == "node_unknown");
    web->lead("node-1", "http://127.0.0.1:7801", "s3cret");
    web->http.status = 404;
    auto const [old, old_why] = drained();
    CHECK(old == "older_release");
    CHECK_THAT(old_why, Catch::StartsWith("node alpha is of an older release, which knows no drains by a person"));
    web->http.status = 503;
    auto const [refused, refused_why] = drained();
    CHECK(refused == "refused");
    CHECK(refused_why == "node alpha was not told at once (it answered with status 503); it reads the change itself, "
                         "within two seconds while it reaches the database");
    web->http.status = 0;
    CHECK(drained().first == "no_answer");
    web->data.exec("UPDATE node SET heartbeat_at = 0");
    auto const [gone, gone_why] = drained();
    CHECK(gone == "node_gone");
    CHECK_THAT(gone_why, Catch::StartsWith("node alpha counts as gone"));
}

TEST_CASE("clients are shown without their secrets")
{
    auto const web = arrange(engines());
    auto const answer = web->got(200, "/api/v1/clients");
    REQUIRE(answer.at("items").size() == 1);
    CHECK(answer.at("items")[0].at("handlers") == json{"close-day", "remind"});
    CHECK(answer.at("items")[0].at("state") == "up");
    CHECK(answer.at("items")[0].at("project") == "default");
    CHECK(answer.dump().find("never shown") == std::string::npos);
}

} // namespace clients_test
