#include "libs/sim/sim.hpp"
#include "trigger/clients/refused_messages.hpp"

#include <catch2/catch.hpp>

namespace refused_messages_test {

using namespace baton;
using namespace baton::trigger;

namespace {

struct one_client final : home_clients {
    known_client* find(std::string const& instance) override { return instance == one.row.instance ? &one : nullptr; }
    bool is_gone(std::string const&) const override { return false; }
    void bury(std::string const&, std::string const&) override {}
    void drains(std::string const&) override {}
    known_client one;
};

struct fixture {
    sim::stage stage{3};
    sim::host& host = stage.add_host("node");
    one_client clients;
    stamps given{"secret of the node"};
    refused_messages refused{host.time(), clients, given};

    fixture()
    {
        clients.one.row.instance = "a";
        clients.one.row.generation = 2;
        clients.one.row.secret = "secret of the client";
    }
    ~fixture() { stage.end(); }

    refused_message const* note(std::string const& body)
    {
        http::request message;
        message.target = "/client/v1/results";
        message.body = body;
        refused.note(message, invalid_input("status", "status must be one of these"));
        return clients.one.refused.get();
    }
};

} // namespace

TEST_CASE("a message that a node refused is noted at the client whose ticket or secret it has")
{
    fixture f;
    CHECK(f.note("no JSON") == nullptr);
    CHECK(f.note(R"(["a"])") == nullptr);
    CHECK(f.note(R"({"instance":"b"})") == nullptr);
    CHECK(f.note(R"({"instance":"a"})") == nullptr);
    CHECK(f.note(R"({"instance":"a","ticket":")" + f.given.ticket("a", 1) + "\"}") ==
          nullptr); // of another registration
    auto const* noted = f.note(R"({"instance":"a","ticket":")" + f.given.ticket("a", 2) + "\"}");
    REQUIRE(noted != nullptr);
    CHECK(noted->path == "/client/v1/results");
    CHECK(noted->why == "status must be one of these");
    f.clients.one.refused.reset();
    CHECK(f.note(R"({"instance":"a","secret":"secret of the client"})") != nullptr);
}

TEST_CASE("a refused message may be nested as deeply as it likes")
{
    fixture f;
    constexpr std::size_t levels = 100'000;
    auto const deep = std::string(levels, '[') + std::string(levels, ']');
    CHECK(f.note(R"({"instance":)" + deep + R"(,"ticket":)" + deep + "}") == nullptr);
}

} // namespace refused_messages_test
