#include "agent/crontab_file.hpp"
#include "libs/base/error.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace crontab_file_test {

using namespace baton;
using namespace baton::agent;
using schedule::crontab_form;

namespace {

constexpr uid_t root = 0;
constexpr uid_t alice = 1'000;

crontab_facts file_of(uid_t owner, std::string owner_name, std::string path = "/srv/jobs/tab")
{
    crontab_facts file;
    file.path = std::move(path);
    file.owner = owner;
    file.owner_name = std::move(owner_name);
    return file;
}

crontab_facts with_mode(crontab_facts file, mode_t mode)
{
    file.mode = mode;
    return file;
}

} // namespace

TEST_CASE("a root agent runs a user's crontab as the owner of the file")
{
    CHECK(user_of(file_of(alice, "alice"), crontab_form::user, root) == "alice");
    CHECK(user_of(file_of(root, "root"), crontab_form::user, root) == "root");
    CHECK_THROWS_WITH(user_of(file_of(4'711, ""), crontab_form::user, root), Catch::Contains("no account"));
}

TEST_CASE("a file in a spool folder belongs to the user after whom it is named")
{
    for (auto const* folder : {"/var/spool/cron/crontabs/", "/var/spool/cron/", "/mnt/crontabs/"}) {
        auto const path = folder + std::string("alice");
        CHECK(user_of(file_of(alice, "alice", path), crontab_form::user, root) == "alice");
        CHECK(user_of(file_of(root, "root", path), crontab_form::user, root) == "alice");
        CHECK_THROWS_WITH(user_of(file_of(1'001, "bob", path), crontab_form::user, root),
                          Catch::Contains("belongs to bob"));
        CHECK_THROWS_WITH(user_of(with_mode(file_of(alice, "alice", path), 0640), crontab_form::user, root),
                          Catch::Contains("chmod 600"));
    }
}

TEST_CASE("a crontab that others can write is refused, by whomever it is run")
{
    for (auto const self : {root, alice})
        for (auto const form : {crontab_form::user, crontab_form::system})
            for (mode_t const mode : {0620u, 0602u, 0666u}) {
                INFO(self << " " << mode);
                CHECK_THROWS_WITH(user_of(with_mode(file_of(root, "root"), mode), form, self),
                                  Catch::Contains("can be written by other users"));
            }
    CHECK(user_of(with_mode(file_of(root, "root"), 0644), crontab_form::system, root).empty());
}

TEST_CASE("a system crontab must belong to root for a root agent")
{
    CHECK(user_of(file_of(root, "root", "/etc/crontab"), crontab_form::system, root).empty());
    CHECK_THROWS_WITH(user_of(file_of(alice, "alice", "/etc/cron.d/x"), crontab_form::system, root),
                      Catch::Contains("must belong to root"));
}

TEST_CASE("an agent that is not root runs its own crontab and root's as itself, and no other")
{
    CHECK(user_of(file_of(alice, "alice"), crontab_form::user, alice).empty());
    CHECK(user_of(file_of(root, "root"), crontab_form::user, alice).empty());
    CHECK_THROWS_AS(user_of(file_of(1'001, "bob"), crontab_form::user, alice), invalid_input);
    CHECK_THROWS_AS(user_of(file_of(1'001, "bob"), crontab_form::system, alice), invalid_input);
}

TEST_CASE("a crontab with a second hard link, a pipe and a folder are refused")
{
    auto linked = file_of(root, "root");
    linked.links = 2;
    CHECK_THROWS_WITH(user_of(linked, crontab_form::user, root), Catch::Contains("hard link"));

    std::string name = (std::filesystem::temp_directory_path() / "baton-crontab-XXXXXX").string();
    std::filesystem::path const folder = mkdtemp(name.data());
    auto const pipe = (folder / "pipe").string();
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    CHECK_THROWS_WITH(read_crontab_file(pipe, crontab_form::user), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(read_crontab_file(folder.string(), crontab_form::user), Catch::Contains("not a regular file"));
    CHECK_THROWS_WITH(read_crontab_file((folder / "none").string(), crontab_form::user),
                      Catch::Contains("No such file"));
    std::filesystem::remove_all(folder);
}

} // namespace crontab_file_test
