#include "trigger/clients/schema_memory.hpp"

#include <catch2/catch.hpp>

namespace schema_memory_test {

using namespace baton;
using namespace baton::trigger;
using answer = schema_memory::answer;
using protocol::service_key;

namespace {

service_key const billing{"default", "billing"};
service_key const stock{"default", "stock"};
instant const start = instant{} + 100h;

} // namespace

TEST_CASE("a document is written when it is announced first, and again after an hour")
{
    schema_memory memory;
    CHECK(memory.take(billing, "a", start) == answer::write);
    CHECK(memory.take(billing, "a", start + 59min) == answer::known);
    CHECK(memory.take(stock, "a", start) == answer::write); // of another service
    CHECK(memory.take(billing, "a", start + 1h) == answer::write);
    CHECK(memory.take(billing, "a", start + 119min) == answer::known);
}

TEST_CASE("a document that could not be written is written when it is announced next")
{
    schema_memory memory;
    memory.take(billing, "a", start);
    memory.forget(billing, "a");
    memory.forget(stock, "a"); // never taken
    CHECK(memory.size() == 0);
    CHECK(memory.take(billing, "a", start) == answer::write);
}

TEST_CASE("a service with many documents makes the node forget only its own ones, and not at once")
{
    schema_limits limits;
    limits.of_service = 3;
    schema_memory memory(limits);
    memory.take(stock, "s", start);
    memory.take(billing, "a", start);
    memory.take(billing, "b", start + 1s);
    memory.take(billing, "c", start + 2s);
    CHECK(memory.take(billing, "d", start + 59s) == answer::too_many);
    CHECK(memory.take(billing, "a", start + 59s) == answer::known);
    CHECK(memory.take(billing, "d", start + 60s) == answer::write); // in the place of a
    CHECK(memory.take(billing, "a", start + 60s) == answer::too_many);
    CHECK(memory.take(billing, "b", start + 60s) == answer::known);
    CHECK(memory.take(stock, "s", start + 60s) == answer::known);
    CHECK(memory.size() == 4);
}

TEST_CASE("the number of documents of all services is bounded, and old ones are forgotten")
{
    schema_limits limits;
    limits.documents = 2;
    schema_memory memory(limits);
    memory.take(billing, "a", start);
    memory.take(stock, "a", start + 30min);
    service_key const third{"shop", "stock"};
    CHECK(memory.take(third, "a", start + 31min) == answer::too_many);
    memory.forget_old(start + 59min);
    CHECK(memory.size() == 2);
    memory.forget_old(start + 1h);
    CHECK(memory.size() == 1);
    CHECK(memory.take(third, "a", start + 1h) == answer::write);
    CHECK(memory.take(stock, "a", start + 1h) == answer::known);
}

} // namespace schema_memory_test
