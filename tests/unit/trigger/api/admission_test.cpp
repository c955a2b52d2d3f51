#include "trigger/api/admission.hpp"

#include <catch2/catch.hpp>

namespace admission_test {

using namespace baton;
using namespace baton::trigger;

namespace {

http::request head_of(std::string target, std::string const& shown = {})
{
    http::request head;
    head.method = http::verb::post;
    head.target = std::move(target);
    if (!shown.empty())
        head.headers.set("Authorization", "Bearer " + shown);
    return head;
}

} // namespace

TEST_CASE("a node reads bodies of clients with the token and of nodes with its secret, and no others")
{
    auto const admit = make_admitter("token", "secret");
    CHECK_FALSE(admit(head_of("/client/v1/results", "token")).refusal);
    CHECK_FALSE(admit(head_of("/internal/v1/assign", "secret")).refusal);
    for (auto const* shown : {"", "secret", "Token", "tokens"})
        CHECK(admit(head_of("/client/v1/results", shown)).refusal.value().status == 401);
    for (auto const* shown : {"", "token", "secre"})
        CHECK(admit(head_of("/internal/v1/assign", shown)).refusal.value().status == 401);
    for (auto const* path : {"/healthz", "/healthz?x", "/readyz?verbose"}) {
        CHECK_FALSE(admit(head_of(path)).refusal);
        CHECK(admit(head_of(path, "token")).body_limit == 0);
    }
}

TEST_CASE("a request with a body for a path that a node does not have, as of a later version, is answered 404")
{
    auto const admit = make_admitter("token", "secret");
    for (auto const* path : {"/client/v2/register", "/", "/%63lient/v1/results", "/client"}) {
        auto const refused = admit(head_of(path, "token")).refusal;
        REQUIRE(refused);
        CHECK(refused->status == 404);
    }
}

TEST_CASE("the absolute form of a request's target counts like its path")
{
    auto const admit = make_admitter("token", "secret");
    CHECK_FALSE(admit(head_of("http://node:7800/client/v1/results", "token")).refusal);
    CHECK(admit(head_of("http://node:7800/client/v1/results")).refusal.value().status == 401);
    CHECK(admit(head_of("http://node:7800/healthz")).body_limit == 0);
    CHECK(admit(head_of("http://client/v1/", "token")).refusal.value().status == 404);
}

TEST_CASE("without a token a node reads the bodies of all clients but browsers")
{
    auto const admit = make_admitter("", "secret");
    CHECK_FALSE(admit(head_of("/client/v1/register")).refusal);
    auto page = head_of("/client/v1/register");
    page.headers.set("Origin", "http://evil.example");
    REQUIRE(admit(page).refusal);
    CHECK(admit(page).refusal->body.find("Origin") != std::string::npos);
    auto form = head_of("/client/v1/register");
    form.headers.set("Sec-Fetch-Site", "cross-site");
    CHECK(admit(form).refusal);
}

} // namespace admission_test
