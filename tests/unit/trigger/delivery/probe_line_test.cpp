#include "trigger/delivery/probe_line.hpp"

#include <catch2/catch.hpp>

namespace probe_line_test {

using baton::protocol::service_key;
using baton::trigger::probe_line;

namespace {

service_key const bad{"default", "bad"};
service_key const good{"default", "good"};

void put(probe_line& line, service_key const& service, std::size_t clients)
{
    for (std::size_t n = 0; n < clients; ++n)
        line.put({service, service.service + "-" + std::to_string(n)});
}

std::size_t begin_all(probe_line& line, service_key const& service)
{
    std::size_t begun = 0;
    while (auto const next = line.begin())
        begun += next->service == service ? 1 : 0;
    return begun;
}

} // namespace

TEST_CASE("a service whose clients do not answer has a quarter of the probes, and another begins its own at once")
{
    probe_line line;
    put(line, bad, 1'000);
    CHECK(begin_all(line, bad) == probe_line::of_a_service);
    put(line, good, 3);
    CHECK(line.begin()->instance == "good-0");
    CHECK(begin_all(line, good) == 2);
    line.end(good);
    CHECK_FALSE(line.begin());
    line.end(bad);
    CHECK(line.begin()->service == bad);
    CHECK_FALSE(line.begin());
}

TEST_CASE("services take turns for the probes that end, and no more than the limit are under way")
{
    probe_line line;
    for (auto const* name : {"a", "b", "c", "d", "e"})
        put(line, {"default", name}, 100);
    std::size_t begun = 0;
    while (line.begin())
        ++begun;
    CHECK(begun == probe_line::at_once);
    line.end({"default", "a"});
    line.end({"default", "b"});
    auto const one = line.begin();
    auto const other = line.begin();
    REQUIRE(one);
    REQUIRE(other);
    CHECK(one->service != other->service);
    CHECK_FALSE(line.begin());
}

} // namespace probe_line_test
