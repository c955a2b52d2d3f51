#include "libs/base/overloaded.hpp"
#include "libs/sim/sim.hpp"
#include "trigger/clients/client_writer.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace client_writer_test {

using namespace baton;
using namespace baton::trigger;
using storage::client_write;

namespace {

client_write make_put(int client, std::int64_t generation = 1)
{
    client_write one;
    one.row.instance = "c" + std::to_string(client);
    one.row.secret = "s";
    one.row.generation = generation;
    return one;
}

// A writer over rows that a test holds, refuses or judges.
struct fixture {
    explicit fixture(write_limits limits = {})
        : host(stage.add_host("node")),
          writer(
              limits, [this](client_writer::group const& rows) { return store(rows); }, host.time(),
              stage.loop.get_executor())
    {
        host.spawn(writer.run());
    }
    ~fixture() { stage.end(); }

    awaitable<client_writer::answers> store(client_writer::group const& rows)
    {
        groups.push_back(rows.size());
        while (still)
            co_await host.time().sleep_for(1ms);
        if (away)
            throw unavailable("no database");
        client_writer::answers answers;
        for (auto const& one : rows) {
            if (one.row.instance == poison)
                throw invalid_input("instance", "poison");
            written.push_back(one.row.instance + "/" + std::to_string(one.row.generation));
            answers.push_back({one.row.instance != overtaken, one.row.instance == overtaken, false, {}});
        }
        co_return answers;
    }

    awaitable<void> call(std::size_t place, client_write row, std::function<bool()> wanted)
    {
        std::string end;
        try {
            auto const answer = co_await writer.write(std::move(row), std::move(wanted));
            end = answer.overtaken ? "overtaken" : answer.kept ? "kept" : "not kept";
        } catch (overloaded const& refused) {
            end = "later";
            CHECK(refused.retry_after() == 2s);
        } catch (invalid_input const&) {
            end = "invalid";
        } catch (unavailable const&) {
            end = "failed";
        }
        ends.at(place) = end;
    }

    // The place of its end in `ends`.
    std::size_t write(client_write row, std::function<bool()> wanted = {})
    {
        ends.emplace_back();
        host.spawn(call(ends.size() - 1, std::move(row), std::move(wanted)));
        return ends.size() - 1;
    }
    void write_many(int from, int until)
    {
        for (int i = from; i < until; ++i)
            write(make_put(i));
    }
    std::size_t count(std::string const& end) const
    {
        return static_cast<std::size_t>(std::count(ends.begin(), ends.end(), end));
    }
    void pass(duration span) { stage.time.run_for(span); }

    sim::stage stage{5};
    sim::host& host;
    bool still = false; // the database
    bool away = false;
    std::string poison;
    std::string overtaken;
    std::vector<std::size_t> groups; // sizes
    std::vector<std::string> written;
    std::vector<std::string> ends;
    client_writer writer;
};

} // namespace

TEST_CASE("a group is bounded by number and by bytes, and has at least one row")
{
    write_limits limits;
    limits.rows = 3;
    limits.bytes = 100;
    CHECK(fits({2, 20}, 10, limits));
    CHECK_FALSE(fits({3, 30}, 10, limits));
    CHECK(fits({1, 60}, 40, limits));
    CHECK_FALSE(fits({1, 60}, 41, limits));
    CHECK(fits({0, 0}, 500, limits));
}

TEST_CASE("a service may fill the queue alone, and has its share of it when it is half full and others wait")
{
    write_limits limits;
    limits.waiting_rows = 100;
    limits.waiting_bytes = 1'000;
    CHECK(may_wait({99, 900}, 99, 1, 10, limits));
    CHECK_FALSE(may_wait({100, 900}, 100, 1, 10, limits));
    CHECK_FALSE(may_wait({10, 995}, 10, 1, 10, limits));
    CHECK(may_wait({49, 490}, 40, 2, 10, limits));
    CHECK_FALSE(may_wait({50, 490}, 40, 2, 10, limits));
    CHECK_FALSE(may_wait({49, 500}, 40, 2, 10, limits));
    CHECK(may_wait({50, 490}, 10, 2, 10, limits));
    CHECK(may_wait({99, 900}, 0, 1, 10, limits)); // the first of another service
}

TEST_CASE("the clients of a service that register all at once delay no other's")
{
    fixture f;
    f.still = true;
    f.write_many(0, 2'000);
    f.pass(20ms);
    auto other = make_put(5'000);
    other.row.service = "other";
    auto const mine = f.write(std::move(other));
    f.pass(1ms);
    f.still = false;
    f.pass(15ms); // the group that was under way, and one more
    CHECK(f.groups.size() == 2);
    CHECK(f.ends.at(mine) == "kept");
    CHECK(f.count("") == 1'000 + 1);
}

TEST_CASE("the departure of a client is written behind its registration")
{
    fixture f;
    f.still = true;
    f.write_many(100, 101);
    f.pass(1ms);
    for (int i = 0; i < 3; ++i) {
        auto one = make_put(i);
        one.row.service = "shop";
        f.write(std::move(one));
    }
    client_write end;
    end.what = client_write::kind::leave;
    end.row.instance = "c2";
    end.row.generation = 1;
    f.write(std::move(end));
    f.still = false;
    f.pass(100ms);
    CHECK(f.written == std::vector<std::string>{"c100/1", "c0/1", "c1/1", "c2/1", "c2/1"});
}

TEST_CASE("client rows that arrive while the database is busy are written together")
{
    fixture f;
    f.still = true;
    f.write(make_put(0));
    f.pass(1ms);
    f.write_many(1, 1'001);
    f.pass(1s);
    CHECK(f.groups == std::vector<std::size_t>{1});
    f.still = false;
    f.pass(100ms);
    CHECK(f.groups == std::vector<std::size_t>{1, 500, 500});
    CHECK(f.count("kept") == 1'001);
}

TEST_CASE("registrations that come one by one cost at most a hundred groups a second")
{
    fixture f;
    for (int i = 0; i < 1'000; ++i) {
        f.write(make_put(i));
        f.pass(1ms);
    }
    f.pass(100ms);
    CHECK(f.count("kept") == 1'000);
    CHECK(f.groups.size() <= 101);
}

TEST_CASE("each caller learns whether its own row won")
{
    fixture f;
    f.overtaken = "c7";
    f.write_many(0, 20);
    f.pass(1s);
    CHECK(f.count("kept") == 19);
    CHECK(f.ends.at(7) == "overtaken");
}

TEST_CASE("a full queue refuses at once, by number and by bytes, and has room again later")
{
    write_limits limits;
    limits.waiting_rows = 100;
    fixture f(limits);
    f.still = true;
    f.write(make_put(0));
    f.pass(1ms);
    f.write_many(1, 151);
    f.pass(1ms);
    CHECK(f.count("later") == 50);
    CHECK(f.writer.refused() == 50);
    f.still = false;
    f.pass(1s);
    CHECK(f.count("kept") == 101);

    auto wide = make_put(200);
    wide.row.handlers.assign(10'000, std::string(150, 'h'));
    f.still = true;
    f.write(wide);
    f.pass(1ms);
    for (int i = 201; i < 230; ++i) {
        wide.row.instance = "c" + std::to_string(i);
        f.write(wide);
    }
    f.pass(1ms);
    CHECK(f.count("later") == 50 + 8); // 21 rows of 1.5 MB fit in 32 MiB
}

TEST_CASE("the work of the node itself finds room in a full queue")
{
    write_limits limits;
    limits.waiting_rows = 10;
    fixture f(limits);
    f.still = true;
    f.write_many(0, 20);
    f.pass(1ms);
    client_writer::answers got;
    auto call = [&]() -> awaitable<void> {
        client_writer::group group;
        for (int i = 100; i < 300; ++i)
            group.push_back(make_put(i));
        auto const odd = [](client_write const& one) { return one.row.instance.back() % 2 == 1; };
        got = co_await f.writer.write_own(std::move(group), odd);
    };
    f.host.spawn(call());
    f.pass(1s);
    f.still = false;
    f.pass(1s);
    REQUIRE(got.size() == 200);
    CHECK(std::count_if(got.begin(), got.end(), [](auto const& one) { return one.kept; }) == 100);
}

TEST_CASE("a row whose caller has gone before its turn is not written")
{
    fixture f;
    f.still = true;
    f.write(make_put(0));
    f.pass(1ms);
    bool connected = true;
    auto const closed = f.write(make_put(1), [&] { return connected; });
    auto const open = f.write(make_put(2), [&] { return true; });
    f.pass(1s);
    connected = false;
    f.still = false;
    f.pass(1s);
    CHECK(f.written == std::vector<std::string>{"c0/1", "c2/1"});
    CHECK(f.ends.at(closed) == "later");
    CHECK(f.ends.at(open) == "kept");

    f.written.clear();
    f.still = true;
    f.write(make_put(3));
    f.pass(1ms);
    auto const late = f.write(make_put(4));
    f.pass(2'501ms);
    CHECK(f.ends.at(late) == "later");
    CHECK(f.writer.waiting() == 0);
    f.still = false;
    f.pass(1s);
    CHECK(f.written == std::vector<std::string>{"c3/1"});
}

TEST_CASE("a later registration takes the place of the earlier one that still waits")
{
    fixture f;
    f.still = true;
    f.write(make_put(0));
    f.pass(1ms);
    auto const first = f.write(make_put(1, 1));
    auto const second = f.write(make_put(1, 3));
    auto const late = f.write(make_put(1, 2));
    auto thief = make_put(1, 4);
    thief.row.secret = "other";
    f.write(thief);
    f.pass(1ms);
    CHECK(f.ends.at(first) == "overtaken");
    CHECK(f.ends.at(late) == "overtaken");
    CHECK(f.writer.waiting() == 2);
    f.still = false;
    f.pass(1s);
    CHECK(f.ends.at(second) == "kept");
    CHECK(f.written == std::vector<std::string>{"c0/1", "c1/3", "c1/4"});
}

TEST_CASE("a database that refuses at once is asked more and more slowly")
{
    fixture f;
    f.away = true;
    for (int i = 0; i < 10'000; ++i) {
        f.write(make_put(i));
        f.pass(1ms);
    }
    f.pass(3s);
    CHECK(f.groups.size() < 20);
    CHECK(f.count("kept") == 0);
    CHECK(f.writer.waiting() == 0);
    f.away = false;
    f.write(make_put(1));
    f.pass(1s);
    CHECK(f.count("kept") == 1);
}

TEST_CASE("a row that the database cannot take fails alone")
{
    fixture f;
    f.poison = "c77";
    f.still = true;
    f.write_many(0, 200);
    f.pass(1ms);
    f.still = false;
    f.pass(1s);
    CHECK(f.count("kept") == 199);
    CHECK(f.ends.at(77) == "invalid");
}

} // namespace client_writer_test
