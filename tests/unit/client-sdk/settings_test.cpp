#include "client-sdk/src/settings.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

namespace settings_test {

using namespace baton;
using namespace baton::client;

namespace {

service_options good()
{
    return {.name = "billing", .triggers = {"http://127.0.0.1:7800"}};
}

service_options check(service_options options)
{
    seeded_random random(Catch::rngSeed());
    return checked(std::move(options), random);
}

std::string complaint(std::function<void(service_options&)> const& spoil)
{
    auto options = good();
    spoil(options);
    try {
        check(options);
    } catch (std::invalid_argument const& failure) {
        return failure.what();
    }
    return "nothing";
}

} // namespace

TEST_CASE("a service belongs to the default project unless another one is named")
{
    CHECK(settings_of(check(good()), {}, 1).link.identity.project == "default");
    auto options = good();
    options.project = "finance";
    CHECK(settings_of(check(options), {}, 1).link.identity.project == "finance");
    CHECK(complaint([](auto& bad) { bad.project = ""; }).starts_with("project: "));
    CHECK(complaint([](auto& bad) { bad.project = std::string(65, 'p'); }).starts_with("project: "));
    CHECK(complaint([](auto& bad) { bad.project = "a/b"; }).find("project") != std::string::npos);
    CHECK(complaint([](auto& bad) { bad.name = "a/b"; }).find("name") != std::string::npos);
}

TEST_CASE("a service registers its tags", "[client]")
{
    auto options = good();
    options.tags = {"gpu", "zone:eu"};
    CHECK(settings_of(check(options), {}, 1).link.identity.tags == options.tags);
    CHECK(complaint([](auto& bad) { bad.tags = {"a/b"}; }).find("tags") != std::string::npos);
    CHECK(complaint([](auto& bad) { bad.tags = std::vector<std::string>(33, "a"); }).starts_with("tags: "));
}

TEST_CASE("a wrong option is refused by name", "[client]")
{
    using options = service_options;
    auto const begins = [](char const* option) { return Catch::StartsWith(std::string(option) + ": "); };
    CHECK_THAT(complaint([](options& o) { o.name = ""; }), begins("name"));
    CHECK_THAT(complaint([](options& o) { o.triggers = {}; }), begins("triggers"));
    CHECK_THAT(complaint([](options& o) { o.triggers = {"10.0.0.1:7800"}; }), begins("triggers"));
    CHECK_THAT(complaint([](options& o) { o.listen = ""; }), begins("listen"));
    CHECK_THAT(complaint([](options& o) { o.token = "line\nbreak"; }), begins("token"));
    CHECK_THAT(complaint([](options& o) { o.token_file = "/nonexistent"; }), begins("token_file"));
    CHECK_THAT(complaint([](options& o) { o.token = "a", o.token_file = "b"; }), begins("token_file"));
    CHECK_THAT(complaint([](options& o) { o.slots = -1; }), begins("slots"));
    CHECK_THAT(complaint([](options& o) { o.queue = -1; }), begins("queue"));
    CHECK_THAT(complaint([](options& o) { o.results = 0; }), begins("results"));
    CHECK_THAT(complaint([](options& o) { o.heartbeat = 1ms; }), begins("heartbeat"));
    CHECK_THAT(complaint([](options& o) { o.grace = -1ms; }), begins("grace"));
    CHECK_THAT(complaint([](options& o) { o.advertise = "ftp://10.0.0.1"; }), begins("advertise"));
    for (auto const* nowhere : {"0.0.0.0", "http://0.0.0.0:7810", "::", "http://[::]:7810"})
        CHECK_THAT(complaint([nowhere](options& o) { o.advertise = nowhere; }), begins("advertise"));
    CHECK_THAT(complaint([](options& o) { o.instance = std::string(129, 'i'); }), begins("instance"));
    CHECK(complaint([](options&) {}) == "nothing");
}

TEST_CASE("listening beyond loopback requires the token, and on all addresses an advertised address as well",
          "[client]")
{
    auto options = good();
    options.listen = "10.0.0.7";
    CHECK_THROWS_WITH(check(options), Catch::StartsWith("token: listening on 10.0.0.7"));
    options.token = "shared";
    CHECK_NOTHROW(check(options));
    options.listen = "0.0.0.0";
    CHECK_THROWS_WITH(check(options), Catch::StartsWith("advertise: "));
    options.advertise = "10.0.0.7";
    CHECK(advertised(check(options), 4711) == "http://10.0.0.7:4711");
}

TEST_CASE("a service that fetches has no address, and needs no token", "[client]")
{
    auto options = good();
    options.delivery = delivery_mode::fetch;
    options.listen = "0.0.0.0"; // does not count
    auto const identity = settings_of(check(options), {"a"}, 0).link.identity;
    CHECK(identity.delivery == protocol::delivery_way::fetch);
    CHECK(identity.address.empty());
    options.advertise = "10.0.0.7";
    CHECK_THROWS_WITH(check(options), Catch::StartsWith("advertise: "));
}

TEST_CASE("the defaults are a slot for each core, a new instance name and the listening address", "[client]")
{
    auto const one = check(good());
    CHECK(one.slots >= 1);
    CHECK_FALSE(one.instance.empty());
    CHECK(advertised(one, 4711) == "http://127.0.0.1:4711");
    auto options = good();
    options.listen = "::1";
    CHECK(advertised(options, 80) == "http://[::1]:80");
    options.advertise = "http://gateway:9000";
    CHECK(advertised(options, 80) == "http://gateway:9000");
    auto const a = settings_of(one, {"b", "a"}, 1).link.identity;
    auto const b = settings_of(one, {"b", "a"}, 1).link.identity;
    CHECK(a.secret.size() == 64);
    CHECK(a.secret != b.secret);
}

TEST_CASE("a token is read from its file", "[client]")
{
    auto const path = std::filesystem::temp_directory_path() / ("baton-token-" + std::to_string(getpid()));
    std::ofstream(path) << "from-the-file\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_read);
    auto options = good();
    options.token_file = path.string();
    CHECK(check(options).token == "from-the-file");
    std::filesystem::permissions(path, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    CHECK_THAT(complaint([&](client::service_options& o) { o.token_file = path.string(); }),
               Catch::StartsWith("token_file") && Catch::Contains("chmod 600"));
    std::filesystem::remove(path);
}

} // namespace settings_test
