#include "libs/storage/migrations.hpp"
#include "tests/support/stores.hpp"

#include <catch2/catch.hpp>

#include <thread>
#include <vector>

namespace migrations_test {

using namespace baton;
using namespace baton::test;
using storage::engine;

TEST_CASE("migrating an empty database creates every table and returns the steps applied")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    auto const database = home.open();

    auto const steps = wait_for(storage::migrate(*database, storage::scheduler_tables()));
    REQUIRE_FALSE(steps.empty());
    CHECK(steps[0].name == "0001_scheduler");
    for (std::size_t i = 0; i < steps.size(); ++i)
        CHECK(steps[i].number == static_cast<int>(i) + 1);
    for (auto const* table : {"lock_fence", "task", "task_version", "execution", "attempt", "term", "node", "client",
                              "`signal`", "idempotency"})
        CHECK(home.number(std::string("SELECT COUNT(*) FROM ") + table) == 0);
    CHECK(home.number("SELECT MIN(applied_at) FROM schema_version") > 1'700'000'000'000'000);
}

TEST_CASE("SQLite keeps the lease in a set of its own, MySQL among the scheduler's tables")
{
    store lite(engine::sqlite);
    lite.migrated(storage::lease_tables());
    CHECK(lite.number("SELECT COUNT(*) FROM `lock`") == 0);
    store server(engine::mysql);
    server.migrated();
    CHECK(server.number("SELECT COUNT(*) FROM `lock`") == 0);
    auto const database = server.open();
    CHECK_THROWS_AS(wait_for(storage::migrate(*database, storage::lease_tables())), storage::schema_mismatch);
}

TEST_CASE("migrating twice does nothing the second time")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    home.migrated();
    auto const database = home.open();
    CHECK(wait_for(storage::migrate(*database, storage::scheduler_tables())).empty());
    CHECK_NOTHROW(wait_for(storage::check_schema(*database, storage::scheduler_tables())));
}

TEST_CASE("a database without tables or without the last step fails the check")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    auto const database = home.open();
    CHECK_THROWS_AS(wait_for(storage::check_schema(*database, storage::scheduler_tables())), storage::schema_mismatch);
    home.migrated();
    home.exec("DELETE FROM schema_version");
    CHECK_THROWS_AS(wait_for(storage::check_schema(*database, storage::scheduler_tables())), storage::schema_mismatch);
}

TEST_CASE("both migrating and checking refuse a database that is newer than the program")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    home.migrated();
    home.exec("INSERT INTO schema_version (`set`, number, name, applied_at) VALUES ('scheduler', 99, 'later', 1)");
    auto const database = home.open();
    CHECK_THROWS_WITH(wait_for(storage::migrate(*database, storage::scheduler_tables())),
                      Catch::Contains("newer than this program"));
    CHECK_THROWS_AS(wait_for(storage::check_schema(*database, storage::scheduler_tables())), storage::schema_mismatch);
}

TEST_CASE("a migration that MySQL left half done is reported and not repeated")
{
    store home(engine::mysql);
    home.migrated();
    home.exec("UPDATE schema_version SET applied_at = NULL");
    auto const database = home.open();
    CHECK_THROWS_WITH(wait_for(storage::migrate(*database, storage::scheduler_tables())),
                      Catch::Contains("begun and not finished"));
}

TEST_CASE("a migration that another node has begun is waited for, and refused if it is not finished in time")
{
    store home(engine::mysql);
    home.migrated();
    auto const database = home.open();
    auto const all = std::to_string(home.number("SELECT COUNT(*) FROM schema_version"));
    auto const during = [&](std::string const& half, std::string const& whole, auto const& start) {
        home.exec(half);
        std::thread other([&] {
            std::this_thread::sleep_for(300ms); // as late as it arrives
            home.exec(whole);
        });
        CHECK_NOTHROW(start());
        other.join();
    };
    auto const check = [&] { wait_for(storage::check_schema(*database, storage::scheduler_tables())); };
    auto const migrate = [&] { CHECK(wait_for(storage::migrate(*database, storage::scheduler_tables())).empty()); };
    auto const begun = "UPDATE schema_version SET applied_at = NULL WHERE number = " + all;
    auto const finished = "UPDATE schema_version SET applied_at = 1 WHERE number = " + all;
    during(begun, finished, check);
    during(begun, finished, migrate);
    during("DELETE FROM schema_version WHERE number = " + all,
           "INSERT INTO schema_version VALUES ('scheduler', " + all + ", 'the last', 1)", check);
}

TEST_CASE("the names of tasks that were deleted before the table of them existed are filled in")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    auto all = storage::scheduler_tables();
    auto before = all.files;
    std::erase_if(before, [](auto const& file) { return file.name.ends_with("_deleted_tasks"); });
    home.migrated({all.name, before, all.suffix});
    home.exec("INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) VALUES "
              "(7, 1, 'created', 1, '{\"name\":\"x\"}', 1), "
              "(7, 2, 'deleted', 2, '{\"name\":\"it''s \u00e9\",\"project\":\"p\"}', 3), "
              "(8, 1, 'deleted', 2, '{\"name\":\"y\"}', 4)");
    home.migrated();
    CHECK(home.number("SELECT COUNT(*) FROM deleted_task") == 2);
    CHECK(
        home.text("SELECT name FROM deleted_task WHERE id = 7 AND project = 'p' AND version = 2 AND deleted_at = 3") ==
        "it's \xc3\xa9");
    CHECK(home.text("SELECT name FROM deleted_task WHERE id = 8 AND project = 'default'") == "y");
}

TEST_CASE("a failed migration leaves no trace on SQLite")
{
    store home(engine::sqlite);
    home.exec("CREATE TABLE idempotency (x INTEGER)"); // the last table of the step
    auto const database = home.open();
    CHECK_THROWS_AS(wait_for(storage::migrate(*database, storage::scheduler_tables())), unavailable);
    CHECK(home.number("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'") == 1);
}

TEST_CASE("of concurrent migrations one does the work and all succeed")
{
    auto const kind = GENERATE(engine::mysql, engine::sqlite);
    INFO(to_string(kind));
    store home(kind);
    constexpr int many = 6;
    std::vector<std::size_t> steps(many, 99);
    std::vector<std::thread> threads;
    for (int i = 0; i < many; ++i)
        threads.emplace_back([&, i] {
            auto const database = home.open({.sessions = 1});
            steps[static_cast<std::size_t>(i)] =
                wait_for(storage::migrate(*database, storage::scheduler_tables())).size();
        });
    for (auto& thread : threads)
        thread.join();
    std::sort(steps.begin(), steps.end());
    CHECK(std::count(steps.begin(), steps.end(), 0u) == many - 1);
    CHECK(steps.back() >= 1);
}

} // namespace migrations_test
