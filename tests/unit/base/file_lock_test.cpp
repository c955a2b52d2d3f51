#include "libs/base/error.hpp"
#include "libs/base/file_lock.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

using namespace baton;

namespace {

struct place {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("baton-lock-" + std::to_string(::getpid()));
    std::string file = (folder / "leader").string();
    place() { std::filesystem::create_directories(folder); }
    ~place() { std::filesystem::remove_all(folder); }
};

} // namespace

TEST_CASE("a file's lock is held by one at a time, until it is unlocked or its holder goes")
{
    place here;
    file_lock a(here.file);
    CHECK(a.try_lock());
    CHECK(a.try_lock()); // held already
    {
        file_lock b(here.file);
        CHECK_FALSE(b.try_lock());
        a.unlock();
        CHECK(b.try_lock());
        CHECK_FALSE(a.try_lock());
    }
    CHECK(a.try_lock());
}

TEST_CASE("the kernel frees the lock of a process that is killed")
{
    place here;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    auto const child = ::fork();
    if (child == 0) {
        file_lock mine(here.file);
        char const answer = mine.try_lock() ? 'y' : 'n';
        (void)!::write(ready[1], &answer, 1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    REQUIRE(answer == 'y');
    file_lock ours(here.file);
    CHECK_FALSE(ours.try_lock());
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(ours.try_lock());
    ::close(ready[0]);
    ::close(ready[1]);
}

TEST_CASE("another file under the same name is another lock, and says so")
{
    place here;
    file_lock a(here.file);
    CHECK(a.identity().empty()); // of what is not locked
    REQUIRE(a.try_lock());
    std::filesystem::rename(here.file, here.file + ".old");
    file_lock b(here.file);
    REQUIRE(b.try_lock());
    CHECK(a.identity() != b.identity());
}

TEST_CASE("a lock file that cannot be opened is an error, not a refusal")
{
    file_lock lost("/no/such/folder/leader");
    CHECK_THROWS_AS(lost.try_lock(), unavailable);
}
