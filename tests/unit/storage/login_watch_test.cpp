#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/base/private_file.hpp"
#include "libs/storage/login_watch.hpp"
#include "tests/support/private_mysql.hpp"
#include "tests/support/script.hpp"
#include "tests/unit/storage/plain_table.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <mutex>

namespace login_watch_test {

using namespace baton;
using namespace baton::test;
using storage::login_watch;

namespace {

// The lines about log-ins that were logged since.
class log_of_logins {
public:
    log_of_logins() : taken_(log::take_over([this](log::level, std::string_view line) { take(line); })) {}

    std::vector<std::string> lines()
    {
        std::lock_guard const lock(mutex_);
        return lines_;
    }

private:
    void take(std::string_view line)
    {
        std::lock_guard const lock(mutex_);
        if (line.find("the password") != std::string_view::npos)
            lines_.emplace_back(line);
    }

    std::mutex mutex_;
    std::vector<std::string> lines_;
    std::shared_ptr<void> taken_;
};

} // namespace

TEST_CASE("a refused password is tried once a pause that doubles up to 8 s, and another one at once")
{
    login_watch watch("mysql://u@h:3306/n");
    instant now{};
    CHECK_FALSE(watch.refusal_of("old", now));
    watch.refused("old", "no", now);
    for (auto const pause : {1s, 2s, 4s, 8s, 8s}) {
        CHECK(watch.refusal_of("old", now + pause - 1ms) == "no");
        now += pause;
        CHECK_FALSE(watch.refusal_of("old", now));
        CHECK(watch.refusal_of("old", now) == "no"); // the other sessions, while this one tries
        watch.refused("old", "no", now);
    }
    CHECK_FALSE(watch.refusal_of("new", now));
    watch.refused("new", "no", now);
    CHECK(watch.refusal_of("new", now + 1s - 1ms) == "no");
    CHECK_FALSE(watch.refusal_of("new", now + 1s));
    watch.accepted();
    CHECK_FALSE(watch.refusal_of("new", now + 1s));
}

TEST_CASE("the log tells each refused password once, and that the server accepts one again")
{
    log_of_logins told;
    login_watch watch("mysql://u@h:3306/n");
    watch.accepted();
    CHECK(told.lines().empty());
    watch.refused("old", "no", instant{});
    watch.refused("old", "no", instant{1s});
    CHECK(told.lines().size() == 1);
    watch.refused("new", "no", instant{2s});
    REQUIRE(told.lines().size() == 2);
    watch.accepted();
    watch.accepted();
    REQUIRE(told.lines().size() == 3);
    CHECK_THAT(told.lines()[0], Catch::Contains("refuses") && Catch::Contains("mysql://u@h:3306/n"));
    CHECK_THAT(told.lines()[2], Catch::Contains("accepts"));
}

TEST_CASE("a wrong password in the file is told once for all sessions of a process, and a corrected one works at once")
{
    system_time time;
    auto where = storage::parse_location(mysql_server() + "/mysql");
    auto const home = storage::open_database(where, {}, time);
    auto const make_user = [](soci::session& sql) {
        storage::statement(sql, "CREATE USER IF NOT EXISTS baton_rotated IDENTIFIED BY 'corrected'").execute();
    };
    wait_for(home->run(make_user));
    where.user = "baton_rotated";
    where.name = "information_schema"; // every user may use it
    where.password_file = make_folder("rotated") + "/password";
    make_private_file(where.password_file);
    auto const write = [&](std::string const& text) { std::ofstream(where.password_file) << text; };
    storage::database_settings settings;
    settings.logins = std::make_shared<login_watch>(where.text());
    auto const one = storage::open_database(where, settings, time);
    auto const other = storage::open_database(where, settings, time);
    auto const work = [](soci::session& sql) { return storage::read_now(sql); };

    log_of_logins told;
    write("mistyped\n");
    for (int i = 0; i < 20; ++i)
        for (auto* each : {one.get(), other.get()})
            CHECK_THROWS_WITH(wait_for(each->run(work)),
                              Catch::Contains("Access denied") && !Catch::Contains("mistyped"));
    CHECK(told.lines().size() == 1);
    try {
        wait_for(one->run(work));
        FAIL("accepted");
    } catch (unavailable const& refused) { // so the loops that need the database do not warn of it again
        CHECK(dynamic_cast<told_already const*>(&refused) != nullptr);
    }
    write("corrected\n");
    CHECK_NOTHROW(wait_for(one->run(work)));
    CHECK_NOTHROW(wait_for(other->run(work)));
    CHECK(told.lines().size() == 2);
}

} // namespace login_watch_test
