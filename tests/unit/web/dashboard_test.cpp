#include "libs/base/asio.hpp"
#include "web/dashboard.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <map>
#include <set>

namespace dashboard_test {

using namespace baton;
using namespace baton::web;
using http::verb;

namespace {

std::vector<dashboard_file> const& bundle()
{
    static std::vector<dashboard_file> const files{
        {"assets/index-B7p6NSpk.js", "text/javascript; charset=utf-8", "plain js", "gzip js", "brotli js"},
        {"assets/tiny-C0ffee11.js", "text/javascript; charset=utf-8", "tiny", {}, {}},
        {"icon.svg", "image/svg+xml", "plain icon", "gzip icon", "brotli icon"},
        {"index.html", "text/html; charset=utf-8", "<meta content=%BATON_NONCE%><p>%BATON_NONCE%", {}, {}},
    };
    return files;
}

class dashboard {
public:
    explicit dashboard(std::vector<dashboard_file> const& files = bundle()) { serve_dashboard(table_, files); }

    http::response ask(verb method, std::string target, std::map<std::string, std::string> const& with = {}) const
    {
        http::request message;
        message.method = method;
        message.target = std::move(target);
        for (auto const& [name, value] : with)
            message.headers.set(name, value);
        asio::io_context io;
        http::response got;
        asio::co_spawn(io, table_.handle(message), [&](std::exception_ptr const& failure, http::response answer) {
            REQUIRE_FALSE(failure);
            got = std::move(answer);
        });
        io.run();
        return got;
    }

    http::response get(std::string target, std::map<std::string, std::string> const& with = {}) const
    {
        return ask(verb::get, std::move(target), with);
    }

private:
    http::router table_;
};

std::string header(http::response const& answer, char const* name)
{
    return answer.headers.find(name).value_or("");
}

constexpr char script[] = "/assets/index-B7p6NSpk.js";

} // namespace

TEST_CASE("each address of a page answers with the page, which carries a fresh nonce")
{
    dashboard const page;
    std::set<std::string> nonces;
    for (auto const* path : {"/", "/tasks/", "/tasks", "/tasks/7?x=y.z", "/services/default/billing/more"}) {
        INFO(path);
        auto const answer = page.get(path);
        CHECK(answer.status == 200);
        CHECK(header(answer, "Content-Type") == "text/html; charset=utf-8");
        CHECK(header(answer, "Cache-Control") == "no-store");
        auto const nonce = answer.body.substr(14, 32);
        CHECK(answer.body == "<meta content=" + nonce + "><p>" + nonce);
        auto const policy = header(answer, "Content-Security-Policy");
        CHECK(policy.find("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'") == 0);
        CHECK(policy.find("unsafe") == std::string::npos);
        nonces.insert(nonce);
    }
    CHECK(nonces.size() == 5);
}

TEST_CASE("files, and addresses that no page can have, are 404 where there is nothing")
{
    dashboard const page;
    for (auto const* path : {"/assets/index-0ld.js", "/assets/deep/er", "/favicon.ico", "/api/v1/nothing", "/api/"}) {
        INFO(path);
        CHECK(page.get(path).status == 404);
        CHECK(page.ask(verb::head, path).status == 404);
    }
    CHECK(page.ask(verb::post, "/tasks").status == 404);
    CHECK(page.ask(verb::post, "/").status == 405);
}

TEST_CASE("a file is sent in the form that the caller can read, and says that it depends on it")
{
    dashboard const page;
    struct {
        char const* accepted;
        char const* encoding;
        char const* body;
    } const all[] = {{"gzip, br", "br", "brotli js"}, {"gzip", "gzip", "gzip js"}, {"identity", "", "plain js"}};
    std::set<std::string> etags;
    for (auto const& each : all) {
        INFO(each.accepted);
        auto const answer = page.get(script, {{"Accept-Encoding", each.accepted}});
        CHECK(answer.status == 200);
        CHECK(answer.body == each.body);
        CHECK(header(answer, "Content-Encoding") == each.encoding);
        CHECK(header(answer, "Content-Type") == "text/javascript; charset=utf-8");
        CHECK(header(answer, "Vary") == "Accept-Encoding");
        etags.insert(header(answer, "ETag"));
    }
    CHECK(etags.size() == 3);
    CHECK(page.get(script).body == "plain js");
    CHECK(page.get("/assets/tiny-C0ffee11.js", {{"Accept-Encoding", "gzip, br"}}).body == "tiny");
}

TEST_CASE("a name with a hash is kept for ever, another is asked for again")
{
    dashboard const page;
    CHECK(header(page.get(script), "Cache-Control") == "public, max-age=31536000, immutable");
    CHECK(header(page.get("/icon.svg"), "Cache-Control").empty()); // the site sets no-cache
}

TEST_CASE("a file that the caller has is not sent again")
{
    dashboard const page;
    auto const etag = header(page.get(script, {{"Accept-Encoding", "br"}}), "ETag");
    auto const known = page.get(script, {{"Accept-Encoding", "br"}, {"If-None-Match", "\"other\", W/" + etag}});
    CHECK(known.status == 304);
    CHECK(known.body.empty());
    CHECK(header(known, "ETag") == etag);
    CHECK(header(known, "Vary") == "Accept-Encoding");
    CHECK(page.get(script, {{"Accept-Encoding", "gzip"}, {"If-None-Match", etag}}).status == 200);
}

TEST_CASE("HEAD answers as GET does, without the body")
{
    dashboard const page;
    auto const answer = page.ask(verb::head, script, {{"Accept-Encoding", "br"}});
    CHECK(answer.status == 200);
    CHECK(answer.body.empty());
    CHECK(header(answer, "Content-Encoding") == "br");
    CHECK(page.ask(verb::head, "/tasks").status == 200);
}

TEST_CASE("a program without the dashboard tells where the API is, and how to build the dashboard")
{
    std::vector<dashboard_file> const none;
    dashboard const page(none);
    auto const answer = page.get("/");
    CHECK(answer.status == 200);
    CHECK(header(answer, "Content-Type") == "text/plain; charset=utf-8");
    CHECK(answer.body.find("/api/v1") != std::string::npos);
    CHECK(answer.body.find("scripts/setup") != std::string::npos);
    CHECK(page.get("/tasks").status == 404);
}

} // namespace dashboard_test
