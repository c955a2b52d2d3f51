#include "libs/storage/change_marks.hpp"
#include "libs/storage/retention.hpp"
#include "libs/storage/topic_versions.hpp"
#include "tests/unit/storage/scheduler_bench.hpp"

#include <catch2/catch.hpp>

namespace topic_versions_test {

using namespace baton;
using namespace baton::test;
using storage::engine;
using storage::topic;

namespace {

struct bench : scheduler_bench {
    explicit bench(engine kind) : scheduler_bench(kind) {}

    void raise(storage::database& by, topic which)
    {
        wait_for(by.transact([&](soci::session& sql) { storage::raise_version(sql, 1, which); }));
    }
    storage::marks marks() { return wait_for(storage::change_marks(*shared, "master").read()); }
    static std::string const& of(storage::marks const& all, topic which)
    {
        return all[static_cast<std::size_t>(which)];
    }
    std::int64_t rows() { return home.number("SELECT COUNT(*) FROM topic_version"); }
};

} // namespace

TEST_CASE("each change of a topic changes its mark, and no other one")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto before = b.marks();
    for (auto* const by : {b.shared.get(), b.deciding.get(), b.shared.get()}) {
        b.raise(*by, topic::tasks);
        auto const after = b.marks();
        for (std::size_t i = 0; i < storage::topics; ++i)
            CHECK((before[i] != after[i]) == (i == static_cast<std::size_t>(topic::tasks)));
        before = after;
    }
    CHECK(b.rows() >= 1);
}

TEST_CASE("a change that is taken back changes no mark")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    auto const before = b.marks();
    auto const fails = [&](soci::session& sql) {
        storage::raise_version(sql, 1, topic::services);
        throw std::runtime_error("no");
    };
    CHECK_THROWS(wait_for(b.shared->transact(fails)));
    CHECK(b.marks() == before);
}

TEST_CASE("retention deletes the versions of sessions that have changed nothing for a day")
{
    bench b(GENERATE(engine::mysql, engine::sqlite));
    b.raise(*b.shared, topic::tasks);
    b.raise(*b.shared, topic::projects);
    b.home.exec("UPDATE topic_version SET changed_at = changed_at - 90000000000 WHERE topic = 'tasks'");
    storage::retention table(*b.shared);
    wait_for(table.topic_versions());
    CHECK(b.rows() == 1);
    CHECK(b.of(b.marks(), topic::tasks).empty());
    CHECK_FALSE(b.of(b.marks(), topic::projects).empty());
}

} // namespace topic_versions_test
