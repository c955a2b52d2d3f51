#include "libs/base/error.hpp"
#include "libs/base/file_lock.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace file_lock_test {

using namespace baton;

namespace {

struct fixture {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("baton-lock-" + std::to_string(::getpid()));
    std::string file = (folder / "leader").string();
    fixture() { std::filesystem::create_directories(folder); }
    ~fixture() { std::filesystem::remove_all(folder); }
};

} // namespace

TEST_CASE("a file lock has one holder at a time, until it is unlocked or its holder is destroyed")
{
    fixture test;
    file_lock a(test.file);
    CHECK(a.try_lock());
    CHECK(a.try_lock()); // held already
    {
        file_lock b(test.file);
        CHECK_FALSE(b.try_lock());
        a.unlock();
        CHECK(b.try_lock());
        CHECK_FALSE(a.try_lock());
    }
    CHECK(a.try_lock());
}

TEST_CASE("the kernel releases the file lock of a killed process")
{
    fixture test;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    auto const child = ::fork();
    if (child == 0) {
        file_lock mine(test.file);
        char const answer = mine.try_lock() ? 'y' : 'n';
        (void)!::write(ready[1], &answer, 1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    REQUIRE(answer == 'y');
    file_lock ours(test.file);
    CHECK_FALSE(ours.try_lock());
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(ours.try_lock());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("a file that was replaced under the same name is a different lock with a different identity")
{
    fixture test;
    file_lock a(test.file);
    CHECK(a.identity().empty()); // not locked
    REQUIRE(a.try_lock());
    std::filesystem::rename(test.file, test.file + ".old");
    file_lock b(test.file);
    REQUIRE(b.try_lock());
    CHECK(a.identity() != b.identity());
}

TEST_CASE("locking throws if the lock file cannot be opened, instead of reporting that the lock is held")
{
    file_lock lock("/no/such/folder/leader");
    CHECK_THROWS_AS(lock.try_lock(), unavailable);
}

} // namespace file_lock_test
