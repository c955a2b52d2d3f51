#include "cli/config/documents.hpp"

#include <catch2/catch.hpp>

namespace config_problems_test {

using namespace baton;
using namespace baton::cli;

namespace {

// The keys of the problems of a configuration in a file that need not be there.
template <class Config>
std::vector<std::string> told(std::string const& text)
{
    reader from("baton.json", nlohmann::json::parse(text), [](std::string const&) { return std::nullopt; });
    Config config;
    bind(from, config);
    from.finish();
    settle(from, config);
    std::vector<std::string> keys;
    try {
        from.report();
    } catch (config_error const& wrong) {
        for (auto const& each : wrong.lines()) {
            CHECK(each.starts_with("baton.json: "));
            auto const key = each.substr(12);
            keys.push_back(key.substr(0, key.find(": ")));
        }
    }
    return keys;
}

} // namespace

TEST_CASE("all problems of a configuration are told at once, a line each")
{
    using keys = std::vector<std::string>;
    CHECK(told<trigger_config>(R"({"listen": {"address": "here", "port": 70000}, "log": {"level": "loud"}, "drain": 3,
                              "election": {"tll": "3s", "grace": "1ms"}, "planner": {"page": 0, "sweep": "1ms"}})") ==
          keys{"listen.port", "drain", "election.tll", "log.level", "database.url", "listen.address", "election.grace",
               "planner.page", "planner.sweep"});
    CHECK(told<web_config>(
              R"({"database": {"url": 7, "sessions": 0}, "web": {"edit_lead": "2m", "master_cache": "2m"}})") ==
          keys{"database.url", "database.sessions", "web.edit_lead", "web.master_cache"});
    // A value that cannot be read is no further problem where it is missed.
    CHECK(told<agent_config>(
              R"({"service": "s", "triggers": ["http://t"], "token_file": "none", "listen": {"address": "0.0.0.0"},
                            "advertise": "http://a", "handlers": {"x": 7}})") == keys{"token_file", "handlers.x"});
    CHECK(told<agent_config>(
              R"({"delivery": "post", "slots": 2000, "handlers": {"x": {"argv": [], "cmd": 1, "env": {"A": 1}},
                            "y": {"argv": [""]}}})") == keys{"delivery", "handlers.x.env.A", "handlers.x.cmd",
                                                             "service", "triggers", "handlers.x.argv",
                                                             "handlers.y.argv", "slots"});
    CHECK(told<dev_config>(R"({"data": "", "web": 7, "agent": {"slots": -1, "project": ""}})") ==
          keys{"web", "agent.slots", "data", "agent.project"});
    CHECK(told<trigger_config>(R"({"database": {"url": "sqlite:/b.db"}})").empty());
}

} // namespace config_problems_test
