#include "tests/support/file_limit.hpp"
#include "trigger/election/election_trace.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace election_trace_test {

using namespace baton;
using namespace baton::trigger;

namespace {

// The lines of a trace without their times.
std::vector<std::string> lines_of(std::string const& path)
{
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line.substr(line.find('\t') + 1));
    return lines;
}

} // namespace

TEST_CASE("a trace has a line for each verdict, change of trust, assignment and delivery", "[trace]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-trace-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/trace";
    {
        election_trace past(path, "a node", "host:1:boot:x");
        REQUIRE(past.kept());
        past.verdict({verdict::promoted, 7, "the lease is free"});
        past.trust({"seize", 7, instant{1s}, instant{2s}, instant{4s}, instant::max()});
        past.trust({"guard_ping", 7, instant{3s}, instant{3s}, instant{4s}, instant{3300ms}});
        past.assign(7, "host:2:boot:y", {execution_id{11}, execution_id{12}});
        past.take(7, "host:2:boot:y", 2);
        past.refuse(6, "a master");
        past.deliver(7, "client-1", {execution_id{11}});
    }
    auto const lines = lines_of(path);
    std::filesystem::remove_all(folder);
    std::string const node = "a node\thost:1:boot:x\t";
    CHECK(lines == std::vector<std::string>{
                       node + "start\t0\tpid=" + std::to_string(getpid()),
                       node + "verdict\t7\twhat=PROMOTED\treason=the lease is free",
                       node + "trust\t7\tby=seize\tasked=1000000000\tanswered=2000000000\tlease=4000000000\tguard=-",
                       node + "trust\t7\tby=guard_ping\tasked=3000000000\tanswered=3000000000\tlease=4000000000"
                              "\tguard=3300000000",
                       node + "assign\t7\tto=host:2:boot:y\tn=2\texecutions=11,12",
                       node + "take\t7\tfrom=host:2:boot:y\tn=2",
                       node + "refuse\t6\tfrom=a master",
                       node + "deliver\t7\tclient=client-1\tn=1\texecutions=11",
                   });
}

TEST_CASE("a trace that could not be written says afterwards how many lines are missing", "[trace]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-trace-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/trace";
    {
        election_trace past(path, "n", "i");
        baton::test::file_limit full(std::filesystem::file_size(path) + 7);
        past.refuse(6, "a master");
        past.refuse(6, "a master");
        past.take(7, "another", 2);
        full.lift();
        past.take(7, "another", 3);
    }
    auto const lines = lines_of(path);
    std::filesystem::remove_all(folder);
    REQUIRE(lines.size() == 4); // the second is the beginning of one that did not fit
    CHECK(lines[2] == "n\ti\tunwritten\t0\tn=3");
    CHECK(lines[3] == "n\ti\ttake\t7\tfrom=another\tn=3");
}

TEST_CASE("without a file no trace is kept", "[trace]")
{
    election_trace past("", "a node", "host:1:boot:x");
    CHECK_FALSE(past.kept());
    past.refuse(6, "a master");
}

} // namespace election_trace_test
