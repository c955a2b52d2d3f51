#include "locks/tests/conformance/shared_locks_fixture.hpp"

#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

namespace baton::test {

namespace {

std::vector<shared_locks_fixture::place> places()
{
    std::vector<shared_locks_fixture::place> all;
    for (auto const engine : tested_engines())
        all.push_back({engine, {}});
    if (chosen_target() != target::mariadb)
        return all;
    for (auto const variable : {"BATON_TEST_REDIS", "BATON_TEST_ZOOKEEPER"})
        if (auto const server = lock_server(variable))
            all.push_back({std::nullopt, *server});
    return all;
}

} // namespace

shared_locks_fixture::shared_locks_fixture() : shared_locks_fixture(GENERATE_COPY(from_range(places()))) {}

shared_locks_fixture::shared_locks_fixture(place where) : lock_fixture(where.engine, std::move(where.server)) {}

std::vector<std::unique_ptr<shared_locks_fixture>> every_shared_store()
{
    std::vector<std::unique_ptr<shared_locks_fixture>> all;
    for (auto const& each : places())
        all.push_back(std::make_unique<shared_locks_fixture>(each));
    return all;
}

lock::named_lock shared_locks_fixture::permit(std::size_t of, lock::lock_options how, std::string const& name)
{
    return enter().semaphore(prefix + name, of, std::move(how));
}

lock::read_write_lock shared_locks_fixture::book(lock::lock_options how)
{
    return enter().read_write(prefix + "book", std::move(how));
}

lock::guarantee shared_locks_fixture::level() const
{
    return !home && url().starts_with("redis") ? lock::guarantee::efficiency : lock::guarantee::fenced;
}

bool shared_locks_fixture::in_order() const
{
    return !home && url().starts_with("zookeeper");
}

} // namespace baton::test
