#include "tests/unit/sim/session_fixture.hpp"

#include <soci/soci.h>

namespace baton::test {

namespace {

long long number(soci::session& session, std::string const& sql)
{
    long long value = null;
    soci::indicator state = soci::i_ok;
    session << sql, soci::into(value, state);
    return state == soci::i_ok ? value : null;
}

} // namespace

session_fixture::session_fixture()
{
    stage.database.inspect([](soci::session& sql) { sql << "CREATE TABLE entry (word TEXT NOT NULL)"; });
    stage.database.faults.min_latency = stage.database.faults.max_latency = 1ms;
    stage.database.faults.ghost = 0;
    for (std::string const name : {"a", "b", "c"})
        start(name, {.sessions = 1, .read_limit = 10s});
}

void session_fixture::start(std::string const& name, sim::connection settings)
{
    auto& host = stage.add_host(name);
    nodes.erase(name);
    nodes.emplace(name, node{host, stage.database.connect(host, settings)});
}

awaitable<void> session_fixture::call(std::string name, std::string sql, bool in_transaction)
{
    auto const work = [&](soci::session& session) { return number(session, sql); };
    auto& database = *nodes.at(name).database;
    answer mine;
    try {
        if (in_transaction)
            mine.value = co_await database.transact(work);
        else
            mine.value = co_await database.run(work);
    } catch (unavailable const& failure) {
        mine.failure = failure.what();
    }
    mine.at = stage.time.now();
    answers[name] = mine;
}

void session_fixture::begin(std::string const& name, std::string const& sql, bool in_transaction)
{
    answers[name] = {};
    nodes.at(name).host.spawn(call(name, sql, in_transaction));
}

void session_fixture::begin_get(std::string const& name, std::string const& seconds)
{
    begin(name, "SELECT baton_get_lock('x', " + seconds + ")");
}

long long session_fixture::ask(std::string const& name, std::string const& sql)
{
    begin(name, sql);
    stage.time.run_until([&] { return done(name); }, 1min);
    return answers[name].value.value_or(-2);
}

long long session_fixture::look(std::string const& sql)
{
    long long value = null;
    stage.database.inspect([&](soci::session& session) { value = number(session, sql); });
    return value;
}

duration session_fixture::freed_within(duration limit)
{
    auto const begin = stage.time.now();
    stage.time.run_until([&] { return holder() == null; }, limit);
    return holder() == null ? stage.time.now() - begin : duration::max();
}

} // namespace baton::test
