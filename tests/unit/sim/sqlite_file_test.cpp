#include "libs/sim/sim.hpp"

#include <catch2/catch.hpp>
#include <soci/soci.h>

#include <map>

namespace sqlite_file_test {

using namespace baton;

namespace {

// Processes of one machine that share a file with words, and the times of the answers. Each step takes 1 ms.
struct fixture {
    sim::stage stage{7};
    sim::sqlite_file file{"file", stage.env, 1};
    std::map<std::string, sim::host*> hosts;
    std::map<std::string, std::unique_ptr<storage::database>> databases;
    std::map<std::string, instant> answered; // by process name
    std::map<std::string, std::string> failure;
    int read = -1;

    fixture()
    {
        file.inspect([](soci::session& sql) { sql << "CREATE TABLE entry (word TEXT NOT NULL)"; });
        file.faults.min_latency = file.faults.max_latency = 1ms;
        for (std::string const name : {"a", "b"}) {
            hosts[name] = &stage.add_host(name);
            databases[name] = file.open_by(*hosts[name], 500ms);
        }
    }
    ~fixture() { stage.end(); }

    awaitable<void> write(std::string process, std::string word)
    {
        auto const work = [&](soci::session& sql) { sql << "INSERT INTO entry (word) VALUES ('" + word + "')"; };
        try {
            co_await databases.at(process)->run(work);
        } catch (unavailable const& why) {
            failure[process] = why.what();
        }
        answered[process] = stage.time.now();
    }
    awaitable<void> look(std::string process)
    {
        auto const work = [](soci::session& sql) {
            int count = 0;
            sql << "SELECT COUNT(*) FROM entry", soci::into(count);
            return count;
        };
        read = co_await databases.at(process)->run(work);
        answered[process] = stage.time.now();
    }
    void begin_write(std::string const& process) { hosts.at(process)->spawn(write(process, process)); }
    void begin_look(std::string const& process) { hosts.at(process)->spawn(look(process)); }

    int words()
    {
        int count = 0;
        file.inspect([&](soci::session& sql) { sql << "SELECT COUNT(*) FROM entry", soci::into(count); });
        return count;
    }
    bool done(std::string const& process) const { return answered.contains(process); }
    void pass(duration span) { stage.time.run_for(span); }
};

} // namespace

TEST_CASE("a SQLite file has a single writing process at a time, and others read the committed state")
{
    fixture f;
    f.begin_write("a");
    f.pass(1500us);
    CHECK(f.file.writer() == f.hosts["a"]);
    f.begin_write("b");
    f.begin_look("b"); // waits for the session of b
    f.pass(700us);
    CHECK(f.words() == 1);
    f.pass(1s);
    CHECK(f.done("a"));
    CHECK(f.done("b"));
    CHECK(f.words() == 2);
    CHECK(f.read == 2);
    CHECK(f.file.writer() == nullptr);
}

TEST_CASE("a write to a busy SQLite file waits and fails after the busy timeout, and reads do not wait")
{
    fixture f;
    f.file.occupy_for(300ms);
    f.begin_write("a");
    f.begin_look("b");
    f.pass(10ms);
    CHECK(f.read == 0);
    CHECK_FALSE(f.done("a"));
    f.pass(400ms);
    CHECK(f.done("a"));
    CHECK(f.failure.empty());
    CHECK(f.words() == 1);

    f.answered.clear();
    f.file.occupy_for(1s);
    f.begin_write("a");
    f.pass(510ms);
    CHECK(f.done("a"));
    CHECK(f.failure["a"] == "database: database is locked");
    CHECK(f.words() == 1);
}

TEST_CASE("a stopped process keeps the SQLite file's write lock, and gets its answer when it continues")
{
    fixture f;
    f.begin_write("a");
    f.pass(1500us);
    f.hosts["a"]->freeze_for(300ms);
    f.begin_write("b");
    f.pass(200ms);
    CHECK(f.file.writer() == f.hosts["a"]);
    CHECK(f.words() == 0);
    f.pass(300ms);
    CHECK(f.done("a"));
    CHECK(f.done("b"));
    CHECK(f.words() == 2);
}

TEST_CASE("a killed process leaves its committed changes in the SQLite file, and no lock")
{
    bool const committed = GENERATE(false, true);
    fixture f;
    f.begin_write("a");
    f.pass(committed ? 2500us : 1500us);
    REQUIRE(f.file.writer() == f.hosts["a"]);
    f.hosts["a"]->kill();
    f.pass(0us);
    CHECK(f.file.writer() == nullptr);
    CHECK(f.words() == (committed ? 1 : 0));
    f.pass(1s);
    CHECK_FALSE(f.done("a"));
    CHECK(f.words() == (committed ? 1 : 0));
}

TEST_CASE("some writes that report a failure have taken effect")
{
    fixture f;
    f.file.faults.fail = 1;
    for (int i = 0; i < 40; ++i) {
        f.begin_write("a");
        f.pass(10ms);
    }
    CHECK(f.failure["a"] == "database: disk I/O error");
    CHECK(f.words() > 5);
    CHECK(f.words() < 35);
}

TEST_CASE("a simulated lock file has a single holder, which keeps it while stopped, until it dies")
{
    fixture f;
    sim::lock_file leader(f.stage.log, 1);
    auto const a = leader.open_by(*f.hosts["a"]);
    auto const b = leader.open_by(*f.hosts["b"]);
    CHECK(a->try_lock());
    CHECK(a->try_lock()); // held already
    CHECK_FALSE(b->try_lock());
    f.hosts["a"]->freeze_for(1s);
    CHECK_FALSE(b->try_lock());
    f.hosts["a"]->kill();
    CHECK(b->try_lock());
    CHECK_FALSE(a->locked());
    b->unlock();
    CHECK(b->identity().empty());
    CHECK_THROWS_AS(a->try_lock(), boost::system::system_error); // a dead process cannot lock
}

TEST_CASE("a removed lock file stays locked by its holder, and a new file of that name is a different lock")
{
    fixture f;
    sim::lock_file leader(f.stage.log, 1);
    auto const a = leader.open_by(*f.hosts["a"]);
    auto const b = leader.open_by(*f.hosts["b"]);
    REQUIRE(a->try_lock());
    leader.remove();
    CHECK(b->try_lock());
    CHECK(a->locked());
    CHECK(a->identity() != b->identity());
    leader.refuse(true);
    a->unlock();
    CHECK_THROWS_AS(a->try_lock(), unavailable);
}

} // namespace sqlite_file_test
