#include "tests/support/file_limit.hpp"
#include "trigger/election/election_trace.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace baton;
using namespace baton::trigger;

namespace {

// The lines of a history without their times.
std::vector<std::string> lines_of(std::string const& path)
{
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line.substr(line.find('\t') + 1));
    return lines;
}

} // namespace

TEST_CASE("a history has a line for each change of belief and each departure", "[history]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-history-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/history";
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
    std::string const who = "a node\thost:1:boot:x\t";
    CHECK(lines == std::vector<std::string>{
                       who + "start\t0\tpid=" + std::to_string(getpid()),
                       who + "verdict\t7\twhat=PROMOTED\treason=the lease is free",
                       who + "trust\t7\tby=seize\tasked=1000000000\tanswered=2000000000\tlease=4000000000\tguard=-",
                       who + "trust\t7\tby=guard_ping\tasked=3000000000\tanswered=3000000000\tlease=4000000000"
                             "\tguard=3300000000",
                       who + "assign\t7\tto=host:2:boot:y\tn=2\texecutions=11,12",
                       who + "take\t7\tfrom=host:2:boot:y\tn=2",
                       who + "refuse\t6\tfrom=a master",
                       who + "deliver\t7\tclient=client-1\tn=1\texecutions=11",
                   });
}

TEST_CASE("a history that cannot be written says afterwards how many lines it lacks", "[history]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-history-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/history";
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

TEST_CASE("without a file no history is kept", "[history]")
{
    election_trace past("", "a node", "host:1:boot:x");
    CHECK_FALSE(past.kept());
    past.refuse(6, "a master");
}
