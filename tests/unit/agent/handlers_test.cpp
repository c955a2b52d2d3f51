#include "agent/agent.hpp"
#include "client-sdk/src/job.hpp"
#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/schedule/crontab.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace handlers_test {

using namespace baton;

namespace {

system_time const real_time;

client::result run(client::service::handler const& handle, nlohmann::json const& payload)
{
    protocol::dispatch work;
    work.execution = execution_id{77};
    work.handler = "it";
    work.attempt = 2;
    work.task_name = "nightly";
    work.payload = protocol::json_text(payload);
    work.scheduled_at = 1'774'747'800'000'000;
    work.shard_index = 1;
    work.shard_total = 3;
    work.previous = {execution_id{76}, 1'774'747'700'000'000, 1'774'747'701'000'000, protocol::state::failed};
    client::execution execution(std::make_shared<client::job>(std::move(work)));
    return handle(execution);
}

agent::settings with(std::string const& script)
{
    agent::settings how;
    how.handlers["it"].argv = {"/bin/sh", "-c", script};
    return how;
}

client::result run_script(std::string const& script, nlohmann::json payload = nlohmann::json::object())
{
    auto const handlers = agent::make_handlers(with(script), real_time);
    return run(handlers.at("it"), payload);
}

// A crontab in a temporary folder.
struct crontab_file {
    std::filesystem::path folder;
    explicit crontab_file(std::string const& text)
    {
        std::string name = (std::filesystem::temp_directory_path() / "baton-crontab-XXXXXX").string();
        folder = mkdtemp(name.data());
        std::ofstream(path()) << text;
    }
    ~crontab_file() { std::filesystem::remove_all(folder); }
    std::string path() const { return (folder / "tab").string(); }
};

agent::settings offering(crontab_file const& file, bool execute)
{
    agent::settings how;
    how.crontabs = {file.path()};
    how.execute = execute;
    return how;
}

} // namespace

TEST_CASE("a command that fails or cannot be started is logged with its handler, execution and reason, without output")
{
    std::vector<std::string> warnings;
    auto const taken = log::take_over([&](log::level which, std::string_view line) {
        if (which == log::level::warning)
            warnings.emplace_back(line);
    });
    run_script("echo secret; exit 3");
    agent::settings missing;
    missing.handlers["it"].argv = {"/nowhere/at/all"};
    run(agent::make_handlers(missing, real_time).at("it"), nullptr);
    run_script("exit 0");
    REQUIRE(warnings.size() == 2);
    CHECK(warnings[0] == "agent: a command failed, its attempt is reported as failed: exit status 3 handler=it "
                         "task=nightly execution=77 attempt=2");
    CHECK(warnings[1].find(": cannot be started: ") != std::string::npos);
    CHECK(warnings[1].find("execution=77") != std::string::npos);
}

TEST_CASE("a command gets the payload on standard input and its execution in the environment")
{
    auto const got = run_script("cat; echo; echo $BATON_EXECUTION $BATON_ATTEMPT $BATON_TASK $BATON_SCHEDULED_AT "
                                "$BATON_SHARD_INDEX/$BATON_SHARD_TOTAL; echo \"$BATON_PAYLOAD\"",
                                {{"day", "today"}});
    CHECK(got.succeeded());
    CHECK(got.value().at("exit") == 0);
    CHECK(got.value().at("stdout") ==
          "{\"day\":\"today\"}\n77 2 nightly 2026-03-29T01:30:00.000000Z 1/3\n{\"day\":\"today\"}\n");
    CHECK(got.value().at("stderr") == "");
}

TEST_CASE("a command gets the execution before its own, if its task asks for it")
{
    auto const got = run_script("echo $BATON_PREVIOUS_EXECUTION $BATON_PREVIOUS_STATE $BATON_PREVIOUS_SCHEDULED_AT "
                                "$BATON_PREVIOUS_ENDED_AT; echo ${BATON_LAST_SUCCESS_EXECUTION-none}");
    CHECK(got.value().at("stdout") == "76 failed 2026-03-29T01:28:20.000000Z 2026-03-29T01:28:21.000000Z\nnone\n");
}

TEST_CASE("no part of a payload is run as a command")
{
    auto const got = run_script("cat", {{"x", "$(echo harm); `echo harm`\n'\""}});
    CHECK(nlohmann::json::parse(got.value().at("stdout").get<std::string>()).at("x") ==
          "$(echo harm); `echo harm`\n'\"");
}

TEST_CASE("a payload with NUL and invalid text reaches the command whole")
{
    auto const got = run_script("cat", {{"x", std::string("a\0b", 3)}, {"y", "\xff"}});
    CHECK(got.succeeded());
    CHECK(got.value().at("stdout") == "{\"x\":\"a\\u0000b\",\"y\":\"\xef\xbf\xbd\"}");
}

TEST_CASE("a failed command gives a failed result with its output")
{
    auto const got = run_script("echo partly; echo why >&2; exit 2");
    CHECK_FALSE(got.succeeded());
    CHECK(got.error() == "exit status 2");
    CHECK(got.value() == nlohmann::json{{"exit", 2}, {"stdout", "partly\n"}, {"stderr", "why\n"}});
}

TEST_CASE("output that is not text, or is much longer as JSON, still fits into a result")
{
    auto const got = run_script("head -c 200000 /dev/zero; head -c 200000 /dev/urandom >&2");
    CHECK(got.succeeded());
    CHECK(got.value().dump().size() <= client::value_limit);
    CHECK(got.value().at("stdout").get<std::string>().find("bytes left out") != std::string::npos);
}

TEST_CASE("without --execute a line of a crontab is not run, and its result shows nothing of the command")
{
    crontab_file const file("\n0 3 * * * touch $HOME/harm\n");
    auto const handlers = agent::make_handlers(offering(file, false), real_time);
    REQUIRE(handlers.size() == 1);
    auto const got = run(handlers.begin()->second, nlohmann::json::object());
    CHECK(got.succeeded());
    CHECK(got.value() == nlohmann::json{{"dry_run", true}, {"line", 2}});
}

TEST_CASE("a crontab line runs as in cron, with its assignments and its input")
{
    crontab_file const file("GREETING=hello world\n"
                            "5 4 * * * echo \"$GREETING\" 100\\%; cat%first%second\n");
    auto const handlers = agent::make_handlers(offering(file, true), real_time);
    auto const entry = schedule::parse_crontab("5 4 * * * echo \"$GREETING\" 100\\%; cat%first%second\n",
                                               schedule::crontab_form::user, file.path());
    auto const got = run(handlers.at(entry.entries.at(0).name), {{"unused", 1}});
    CHECK(got.succeeded());
    CHECK(got.value().at("stdout") == "hello world 100%\nfirst\nsecond\n");
}

TEST_CASE("an unreadable crontab and a repeated handler name are refused")
{
    agent::settings how;
    how.crontabs = {"/no/such/crontab"};
    CHECK_THROWS_AS(agent::make_handlers(how, real_time), invalid_input);

    crontab_file const file("0 3 * * * true\n");
    how.crontabs = {file.path(), file.path()};
    CHECK_THROWS_AS(agent::make_handlers(how, real_time), invalid_input);
}

TEST_CASE(
    "as root the commands of a user's crontab run as the owner of the file, or as the user after whom it is named")
{
    if (geteuid() != 0)
        return;
    crontab_file const file("0 3 * * * id -un\n");
    REQUIRE(chown(file.path().c_str(), 1, 1) == 0); // daemon
    auto const ours = agent::make_handlers(offering(file, true), real_time);
    CHECK(run(ours.begin()->second, {}).value().at("stdout") == "daemon\n");

    auto const spool = file.folder / "crontabs";
    std::filesystem::create_directory(spool);
    std::ofstream(spool / "bin") << "0 3 * * * id -un\n";
    agent::settings how;
    how.crontabs = {(spool / "bin").string()};
    how.execute = true;
    CHECK_THROWS_WITH(agent::make_handlers(how, real_time), Catch::Contains("chmod 600"));
    REQUIRE(chmod((spool / "bin").c_str(), 0600) == 0);
    auto const named = agent::make_handlers(how, real_time);
    CHECK(run(named.begin()->second, {}).value().at("stdout") == "bin\n");
}

TEST_CASE("commands are told to stop so early in the grace that kill_after passes and their results are recorded in it")
{
    agent::settings how;
    how.kill_after = 10s;
    how.service.grace = 30s;
    CHECK(agent::options_of(how).stop_ahead == 12'500ms);
    how.service.grace = 8s; // kill_after does not fit
    CHECK(agent::options_of(how).stop_ahead == 6s);
}

} // namespace handlers_test
