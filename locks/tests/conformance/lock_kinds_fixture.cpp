#include "locks/tests/conformance/lock_kinds_fixture.hpp"

#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace baton::test {

namespace {

std::optional<std::string> server_url(kind_name kind)
{
    static std::map<kind_name, char const*> const variables{{kind_name::redis, "BATON_TEST_REDIS"},
                                                            {kind_name::redlock, "BATON_TEST_REDLOCK"},
                                                            {kind_name::redis_sentinel, "BATON_TEST_REDIS_SENTINEL"},
                                                            {kind_name::redis_cluster, "BATON_TEST_REDIS_CLUSTER"},
                                                            {kind_name::zookeeper, "BATON_TEST_ZOOKEEPER"},
                                                            {kind_name::ensemble, "BATON_TEST_ZOOKEEPER_ENSEMBLE"}};
    return lock_server(variables.at(kind));
}

std::vector<place> places(bool all_kinds)
{
    std::vector<place> all;
    for (auto const engine : tested_engines()) {
        all.insert(all.end(), {{engine, kind_name::record}, {engine, kind_name::lease}});
        if (all_kinds)
            all.push_back({engine, kind_name::classic});
        if (all_kinds && engine == storage::engine::mysql && chosen_target() != target::galera)
            all.push_back({engine, kind_name::row});
    }
    if (!all_kinds || chosen_target() != target::mariadb)
        return all;
    for (auto const kind : {kind_name::redis, kind_name::redlock, kind_name::redis_sentinel, kind_name::redis_cluster,
                            kind_name::zookeeper, kind_name::ensemble})
        if (server_url(kind))
            all.push_back({std::nullopt, kind});
    return all;
}

} // namespace

lock_kinds_fixture::lock_kinds_fixture(bool all_kinds)
    : lock_kinds_fixture(GENERATE_COPY(from_range(places(all_kinds))))
{}

lock_kinds_fixture::lock_kinds_fixture(place where)
    : lock_fixture(where.engine, where.engine ? "" : server_url(where.kind).value()), kind(where.kind)
{}

std::vector<std::unique_ptr<lock_kinds_fixture>> every_lock_kind()
{
    std::vector<std::unique_ptr<lock_kinds_fixture>> all;
    for (auto const& each : places(true))
        all.push_back(std::make_unique<lock_kinds_fixture>(each));
    return all;
}

lock::named_lock lock_kinds_fixture::make(lock::store& in, std::string name, lock::lock_options how) const
{
    name.insert(0, prefix);
    switch (kind) {
    case kind_name::classic:
        return in.lock(std::move(name), lock::sql_lock::classic_record, std::move(how));
    case kind_name::lease:
        return in.lock(std::move(name), lock::sql_lock::lease, std::move(how));
    case kind_name::row:
        return in.lock(std::move(name), lock::sql_lock::row, std::move(how));
    default:
        return in.lock(std::move(name), std::move(how));
    }
}

lock::named_lock lock_kinds_fixture::make(std::string name, lock::lock_options how)
{
    return make(enter(), std::move(name), std::move(how));
}

lock::guarantee lock_kinds_fixture::level() const
{
    if (on_redis())
        return lock::guarantee::efficiency;
    return kind == kind_name::row ? lock::guarantee::lease : lock::guarantee::fenced;
}

char const* lock_kinds_fixture::name() const
{
    switch (kind) {
    case kind_name::record:
        return "record";
    case kind_name::classic:
        return "classic";
    case kind_name::lease:
        return "lease";
    case kind_name::row:
        return "row";
    case kind_name::redis:
    case kind_name::redis_sentinel:
    case kind_name::redis_cluster:
        return "redis";
    case kind_name::redlock:
        return "redlock";
    default:
        return "zookeeper";
    }
}

std::int64_t lock_kinds_fixture::sleepers()
{
    if (kind == kind_name::row)
        return lock_fixture::sleepers("info LIKE 'SELECT name FROM lock_row%FOR UPDATE'");
    return lock_fixture::sleepers();
}

void lock_kinds_fixture::await_sleepers(std::int64_t number)
{
    test::await_sleepers([this] { return sleepers(); }, number);
}

} // namespace baton::test
