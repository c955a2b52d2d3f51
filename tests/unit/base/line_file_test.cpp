#include "libs/base/line_file.hpp"
#include "libs/base/time.hpp"
#include "tests/support/file_limit.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

namespace line_file_test {

using namespace baton;
using baton::test::file_limit;

TEST_CASE("lines that two processes append to one file do not mix", "[base]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-lines-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/lines";
    std::string const mine(3'000, 'a');
    std::string const theirs(5'000, 'b');
    line_file file(path);
    auto const child = fork();
    if (child == 0) {
        line_file again(path);
        for (int i = 0; i < 500; ++i)
            again.append(theirs + "\n");
        _exit(0);
    }
    for (int i = 0; i < 500; ++i)
        CHECK(file.append(mine + "\n"));
    REQUIRE(waitpid(child, nullptr, 0) == child);

    std::ifstream in(path);
    std::size_t whole = 0;
    for (std::string line; std::getline(in, line);)
        whole += line == mine || line == theirs ? 1 : 0;
    std::filesystem::remove_all(folder);
    CHECK(whole == 1'000);
}

TEST_CASE("appending to a full disk reports that the line was not written", "[base]")
{
    line_file file("/dev/full");
    CHECK_FALSE(file.append("lost\n"));
    CHECK_THROWS_AS(line_file("/nowhere/lines"), std::runtime_error);
}

TEST_CASE("after a partly written line, the next line starts on its own", "[base]")
{
    std::string folder = (std::filesystem::temp_directory_path() / "baton-lines-XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    auto const path = folder + "/lines";
    line_file file(path);
    file_limit room(15); // behaves like a disk that is full after 15 bytes
    CHECK(file.append("the first\n"));
    CHECK_FALSE(file.append("the second\n"));
    CHECK_FALSE(file.append("the third\n"));
    room.lift();
    CHECK(file.append("the fourth\n"));
    CHECK(file.append("the fifth\n"));

    std::ifstream in(path);
    std::string const text(std::istreambuf_iterator<char>(in), {});
    std::filesystem::remove_all(folder);
    CHECK(text == "the first\nthe s\nthe fourth\nthe fifth\n");
}

TEST_CASE("kernel_nanos() reads the same clock as time_source::now()", "[base]")
{
    system_time const time;
    auto const before = time.now();
    auto const at = instant{duration{kernel_nanos() / 1'000}};
    CHECK(before <= at);
    CHECK(at <= time.now());
}

} // namespace line_file_test
