#include "locks/tests/conformance/shared_locks_house.hpp"

#include "locks/tests/support/lock_urls.hpp"

#include <catch2/catch.hpp>

namespace baton::test {

namespace {

std::vector<shared_house::place> places()
{
    std::vector<shared_house::place> all{{storage::engine::mysql, {}}, {storage::engine::sqlite, {}}};
    if (store(storage::engine::mysql).nodes().size() > 1) // the others are tried where it is one
        return all;
    for (auto const variable : {"BATON_TEST_REDIS", "BATON_TEST_ZOOKEEPER"})
        if (auto const server = lock_server(variable))
            all.push_back({std::nullopt, *server});
    return all;
}

} // namespace

shared_house::shared_house() : shared_house(GENERATE_COPY(from_range(places()))) {}

shared_house::shared_house(place where) : lock_house(where.engine, std::move(where.server)) {}

lock::named_lock shared_house::permit(std::size_t of, lock::lock_options how, std::string const& name)
{
    return enter().semaphore(prefix + name, of, std::move(how));
}

lock::read_write_lock shared_house::book(lock::lock_options how)
{
    return enter().read_write(prefix + "book", std::move(how));
}

lock::guarantee shared_house::level() const
{
    return !home && url().starts_with("redis") ? lock::guarantee::efficiency : lock::guarantee::fenced;
}

bool shared_house::in_order() const
{
    return !home && url().starts_with("zookeeper");
}

} // namespace baton::test
