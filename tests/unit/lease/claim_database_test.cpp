#include "libs/lease/lease.hpp"
#include "libs/protocol/term_id.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

#include <sstream>

namespace claim_database_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

namespace {

struct fixture {
    explicit fixture(engine kind)
        : home(kind),
          own(home.migrated(kind == engine::sqlite ? storage::lease_tables() : storage::scheduler_tables())
                  .open({.sessions = 1}))
    {}

    std::unique_ptr<lease::lease_store> lease(std::string const& name_space)
    {
        return home.where().engine == engine::sqlite ? lease::make_boot_lease(*own, name_space, time, "boot")
                                                     : lease::make_clocked_lease(*own, name_space);
    }
    void claim(std::string const& name_space)
    {
        auto const store = lease(name_space);
        wait_for(lease::claim_database(*own, *store, name_space));
    }

    system_time time;
    store home;
    std::unique_ptr<storage::database> own;
};

} // namespace

TEST_CASE("the first namespace of a database has id 1, and another one is refused in words")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    if (f.home.where().engine == engine::mysql)
        f.home.exec("ALTER TABLE `lock` AUTO_INCREMENT = 7"); // as the second node of a Galera cluster would give it
    f.claim("billing");
    f.claim("billing");
    CHECK(wait_for(f.lease("billing")->poll()).id == protocol::first_namespace);
    try {
        f.claim("master");
        FAIL("it was not refused");
    } catch (storage::schema_mismatch const& refusal) {
        CHECK(std::string(refusal.what()) ==
              "the database belongs to the namespace 'billing', and election.namespace is 'master' here: all triggers "
              "and webs of a database need the same one");
    }
    CHECK(f.home.number("SELECT COUNT(*) FROM `lock`") == 1); // the refused one has left nothing
}

TEST_CASE("the lock row of a further namespace has another id")
{
    fixture f(GENERATE(engine::mysql, engine::sqlite));
    auto const first = f.lease("master");
    auto const second = f.lease("second");
    wait_for(first->ensure());
    wait_for(second->ensure());
    wait_for(second->ensure());
    CHECK(wait_for(first->poll()).id == protocol::first_namespace);
    CHECK(wait_for(second->poll()).id > protocol::first_namespace);
    CHECK(f.home.number("SELECT COUNT(*) FROM `lock`") == 2);
}

TEST_CASE("the lock row that is in use has id 1 after the migration of an older database")
{
    fixture f(engine::mysql);
    f.home.exec("INSERT INTO `lock` (id, namespace, version, create_time, update_time) VALUES "
                "(1, 'former', 9, '2026-01-01', '2026-01-02'), (4, 'master', 5, '2026-02-01', '2026-02-02')");
    for (auto const& file : storage::migration_files()) {
        if (file.folder != "mysql" || file.name.find("namespaces") == std::string::npos)
            continue;
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);)
            if (line.starts_with("UPDATE `lock`"))
                f.home.exec(line.substr(0, line.size() - 1));
    }
    CHECK(f.home.text("SELECT namespace FROM `lock` WHERE id = 1") == "master");
    CHECK(wait_for(f.lease("master")->poll()).epoch == 5);
    f.claim("master");
    CHECK_THROWS_AS(f.claim("former"), storage::schema_mismatch);
}

} // namespace claim_database_test
