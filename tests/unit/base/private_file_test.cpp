#include "libs/base/error.hpp"
#include "libs/base/file_lock.hpp"
#include "libs/base/private_file.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace private_file_test {

using namespace baton;

namespace {

// A folder of one test, and a umask that is put back at its end.
struct scratch {
    std::filesystem::path folder;
    mode_t const before = umask(022);

    scratch()
    {
        std::string name = (std::filesystem::temp_directory_path() / "baton-private-XXXXXX").string();
        folder = mkdtemp(name.data());
    }
    ~scratch()
    {
        umask(before);
        std::filesystem::remove_all(folder);
    }
    std::string path(char const* name) const { return (folder / name).string(); }

    std::string write(char const* name, mode_t mode) const
    {
        std::ofstream(path(name)) << "secret\n";
        ::chmod(path(name).c_str(), mode);
        return path(name);
    }
};

mode_t mode_of(std::string const& path)
{
    struct stat seen {};
    REQUIRE(::stat(path.c_str(), &seen) == 0);
    return seen.st_mode & 07777;
}

} // namespace

TEST_CASE("files are made 0600 and folders 0700, whatever the umask")
{
    scratch here;
    for (mode_t const mask : {0000u, 0022u, 0077u, 0777u}) {
        umask(mask);
        auto const number = std::to_string(mask);
        make_private_folder(here.path(("a" + number + "/b/").c_str()));
        make_private_file(here.path(("file" + number).c_str()));
        file_lock lock(here.path(("lock" + number).c_str()));
        CHECK(lock.try_lock());
        umask(022);
        CHECK(mode_of(here.path(("a" + number).c_str())) == 0700);
        CHECK(mode_of(here.path(("a" + number + "/b").c_str())) == 0700);
        CHECK(mode_of(here.path(("file" + number).c_str())) == 0600);
        CHECK(mode_of(here.path(("lock" + number).c_str())) == 0600);
    }
}

TEST_CASE("a private file or folder that exists already is left as it is")
{
    scratch here;
    auto const file = here.write("file", 0400);
    make_private_file(file);
    check_private_file(file);
    CHECK(read_private_file(file) == "secret\n");
    CHECK(mode_of(file) == 0400);
    make_private_folder(here.folder.string());
    check_private_file(here.path("none"));
    CHECK_THROWS_AS(read_private_file(here.path("none")), unavailable);
    CHECK_THROWS_AS(make_private_file(here.path("none/file")), unavailable);
}

TEST_CASE("a file or folder that other users can read or write is refused, with the remedy")
{
    scratch here;
    for (mode_t const mode : {0640u, 0604u, 0620u, 0602u, 0601u}) {
        INFO(mode);
        auto const file = here.write("file", mode);
        CHECK_THROWS_WITH(check_private_file(file), Catch::Contains("chmod 600"));
        CHECK_THROWS_AS(make_private_file(file), not_private);
        CHECK_THROWS_AS(read_private_file(file), not_private);
    }
    for (mode_t const mode : {0750u, 0705u, 0711u, 01777u}) {
        ::chmod(here.folder.c_str(), mode);
        CHECK_THROWS_WITH(make_private_folder(here.folder.string()), Catch::Contains("chmod 700"));
    }
}

TEST_CASE("a secret may lie in a folder that others read, but not in one that they write")
{
    scratch here;
    auto const file = here.write("file", 0600);
    for (mode_t const mode : {0755u, 01777u}) {
        ::chmod(here.folder.c_str(), mode);
        CHECK(read_private_file(file) == "secret\n");
    }
    ::chmod(here.folder.c_str(), 0777);
    CHECK_THROWS_WITH(read_private_file(file), Catch::Contains("chmod go-w"));
}

TEST_CASE("a file or folder of another user is refused, even by root")
{
    scratch here;
    auto const file = here.write("file", 0600);
    if (::geteuid() != 0)
        return;
    REQUIRE(::chown(file.c_str(), 1, 1) == 0);
    CHECK_THROWS_WITH(read_private_file(file), Catch::Contains("another user"));
    CHECK_THROWS_AS(make_private_file(file), not_private);
    REQUIRE(::chown(here.folder.c_str(), 1, 1) == 0);
    CHECK_THROWS_AS(make_private_folder(here.folder.string()), not_private);
    auto const mine = here.write("mine", 0600);
    CHECK_THROWS_AS(read_private_file(mine), not_private);
}

} // namespace private_file_test
