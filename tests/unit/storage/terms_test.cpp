#include "libs/storage/terms.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace terms_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using storage::fence;
using storage::new_term;
using storage::term_record;

namespace {

utc_time const noon = from_micros(1'800'000'000'000'000);

// A cluster's history on a store: each term raises the fence, as a master does.
struct bench : scheduler_bench {
    explicit bench(engine kind) : scheduler_bench(kind) {}

    void begin(std::int64_t epoch, new_term const& what)
    {
        wait_for(ledger.raise({"master", epoch}));
        wait_for(terms.begin({"master", epoch}, what));
    }
    void end(std::int64_t epoch, utc_time at, std::string why) { wait_for(terms.end({"master", epoch}, at, why)); }
    std::vector<term_record> all(int limit = 10) { return wait_for(terms.list("master", std::nullopt, limit)); }

    // The last heartbeat of a node.
    void heard(std::string const& node, utc_time at)
    {
        home.exec("INSERT INTO node (incarnation, name, address, secret, role, version, load_permille, clients, "
                  "draining, ttl_us, started_at, heartbeat_at) VALUES ('host:1:boot:" +
                  node + "', '', '', '', 'master', '', 0, 0, 0, 1, 1, " + std::to_string(to_micros(at)) + ")");
    }

    storage::terms terms{*deciding, *shared};
};

new_term term_of(std::string node, utc_time began, std::optional<utc_time> led_until)
{
    new_term what;
    what.owner = "host:1:boot:" + node;
    what.node = std::move(node);
    what.how = led_until ? "expired" : "free";
    what.began_at = began;
    what.acting_at = began + 5ms;
    what.led_until = led_until;
    what.predecessor = "its lease expired";
    return what;
}

} // namespace

TEST_CASE("the first term of a cluster has no gap before it and no end")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto what = term_of("a", noon, noon - 1h); // a free row may be old
    what.how = "free";
    what.node = "größe";
    what.replayed = 7;
    b.begin(2, what);
    auto const all = b.all();
    REQUIRE(all.size() == 1);
    CHECK(all[0].epoch == 2);
    CHECK(all[0].owner == "host:1:boot:a");
    CHECK(all[0].node == "größe");
    CHECK(all[0].how == "free");
    CHECK(all[0].began_at == noon);
    CHECK(all[0].acting_at == noon + 5ms);
    CHECK_FALSE(all[0].gap);
    CHECK_FALSE(all[0].ended_at);
    CHECK_FALSE(all[0].why_ended);
    CHECK(all[0].replayed == 7);
}

TEST_CASE("a successor closes the term of a dead master at its last sign of life, and counts the gap from there")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.begin(2, term_of("a", noon, std::nullopt));
    b.begin(3, term_of("b", noon + 60s, noon + 57s));
    auto const all = b.all();
    REQUIRE(all.size() == 2);
    CHECK(all[0].epoch == 3);
    CHECK(all[0].gap == 3'005ms);
    CHECK_FALSE(all[0].ended_at);
    CHECK(all[1].ended_at == noon + 57s);
    CHECK(all[1].why_ended == "its lease expired");
}

TEST_CASE("a term that recorded its own end keeps it, and the gap counts from there")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.begin(2, term_of("a", noon, std::nullopt));
    b.end(2, noon + 10s, "a clean stop");
    b.begin(3, term_of("b", noon + 10'100ms, noon + 9s)); // its last renewal
    auto const all = b.all();
    CHECK(all.at(0).gap == 105ms);
    CHECK(all.at(1).ended_at == noon + 10s);
    CHECK(all.at(1).why_ended == "a clean stop");
    b.end(2, noon + 20s, "too late");
    CHECK(b.all().at(1).ended_at == noon + 10s);
}

TEST_CASE("a master that died before it wrote its row neither lengthens the previous term nor shortens the gap")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.home.exec(
        "INSERT INTO node (incarnation, name, address, secret, role, version, load_permille, clients, draining, "
        "ttl_us, started_at, heartbeat_at) VALUES ('host:1:boot:a', 'a', '', '', 'master', '', 0, 0, 0, 1, 1, " +
        std::to_string(to_micros(noon + 7s)) + ")");
    b.begin(2, term_of("a", noon, std::nullopt));
    b.begin(4, term_of("c", noon + 60s, noon + 57s)); // the third term led until then, and left no row
    auto const all = b.all();
    REQUIRE(all.size() == 2);
    CHECK(all[1].ended_at == noon + 7s);
    CHECK(all[1].why_ended == "unknown: the term after it left no word either");
    CHECK(all[0].gap == 53'005ms);
}

TEST_CASE("if the end of the last term is unknown, its node's last heartbeat counts as the end")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.heard("a", noon + 7s);
    b.begin(2, term_of("a", noon, std::nullopt));
    auto what = term_of("b", noon + 600s, std::nullopt); // the host was started anew
    what.how = "expired";
    b.begin(3, what);
    CHECK(b.all().at(1).ended_at == noon + 7s);
    CHECK(b.all().at(0).gap == 593'005ms);
}

TEST_CASE("a term ends at its last renewal, even if its node's last heartbeat is later or earlier")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.heard("a", noon + 7s);
    b.heard("b", noon + 90s);
    b.begin(2, term_of("a", noon, std::nullopt));
    b.begin(3, term_of("b", noon + 11s, noon + 8s));
    b.begin(4, term_of("c", noon + 99s, noon + 80s));
    CHECK(b.all().at(2).ended_at == noon + 8s);
    CHECK(b.all().at(1).ended_at == noon + 80s);
}

TEST_CASE("a deposed node cannot change its term after the successor has closed it")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.begin(2, term_of("a", noon, std::nullopt));
    b.begin(3, term_of("b", noon + 60s, noon + 57s));
    b.end(2, noon + 70s, "the lease was lost");
    CHECK(b.all().at(1).ended_at == noon + 57s);
    CHECK(b.all().at(1).why_ended == "its lease expired");
    CHECK_FALSE(b.all().at(0).ended_at);
}

TEST_CASE("a term's row is written once, and only under its own epoch")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.begin(2, term_of("a", noon, std::nullopt));
    auto again = term_of("a", noon + 1s, noon);
    b.begin(2, again); // its answer was lost
    CHECK(b.all().size() == 1);
    CHECK(b.all()[0].began_at == noon);
    wait_for(b.ledger.raise({"master", 4}));
    CHECK_THROWS_AS(wait_for(b.terms.begin({"master", 3}, term_of("b", noon + 60s, noon + 57s))), not_master);
    CHECK(b.all().size() == 1);
    CHECK_FALSE(b.all()[0].ended_at);
}

TEST_CASE("no term ends before it began and no gap is negative, whatever the clocks say")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.begin(2, term_of("a", noon, std::nullopt));
    b.begin(3, term_of("b", noon + 1s, noon - 5s));
    CHECK(b.all().at(1).ended_at == noon);
    b.end(3, noon - 1s, "a clean stop");
    CHECK(b.all().at(0).ended_at == noon + 1s);
    b.begin(4, term_of("c", noon + 500ms, noon));
    CHECK(b.all().at(0).gap == 0ms);
}

TEST_CASE("the terms are read newest first, in pages, separately for each namespace")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    wait_for(b.ledger.raise({"other", 1}));
    wait_for(b.terms.begin({"other", 1}, term_of("x", noon, std::nullopt)));
    for (std::int64_t epoch = 2; epoch <= 6; ++epoch)
        b.begin(epoch, term_of("a", noon + epoch * 1s, noon));
    auto const first = wait_for(b.terms.list("master", std::nullopt, 2));
    REQUIRE(first.size() == 2);
    CHECK(first[0].epoch == 6);
    CHECK(first[1].epoch == 5);
    auto const next = wait_for(b.terms.list("master", 5, 10));
    REQUIRE(next.size() == 3);
    CHECK(next[0].epoch == 4);
    CHECK(next[2].epoch == 2);
    auto const others = wait_for(b.terms.list("other", std::nullopt, 10));
    REQUIRE(others.size() == 1);
    CHECK_FALSE(others[0].ended_at);
}

} // namespace terms_test
