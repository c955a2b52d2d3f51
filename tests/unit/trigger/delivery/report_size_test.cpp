// The sizes by which reports are cut.

#include "trigger/delivery/report_size.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <limits>
#include <string>

namespace report_size_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::string const awkward = "a\"b\\c\n\x01\xe6\x97\xa5";
constexpr auto largest = std::numeric_limits<std::int64_t>::max();

template <class T>
std::size_t written(T const& one)
{
    return nlohmann::json(one).dump().size() + 1; // and a comma
}

protocol::service_capacity service_with(std::size_t classes, std::size_t handler)
{
    protocol::service_capacity one;
    one.service = "s";
    for (std::size_t i = 0; i < classes; ++i)
        one.classes.push_back({{std::string(handler, 'h')}, 1, 1});
    return one;
}

} // namespace

TEST_CASE("no part of a report is longer as JSON than it counts, whatever its names contain")
{
    constexpr auto most = std::numeric_limits<int>::max();
    protocol::service_capacity service{awkward, awkward, {{{awkward, "x"}, most, most}, {{"y"}, -most, -most}}};
    CHECK(written(service) <= json_bytes(service));
    protocol::delivered const delivered{execution_id{largest}, most, awkward, most};
    CHECK(written(delivered) <= json_bytes(delivered));
    protocol::undelivered const undelivered{
        execution_id{largest}, most, protocol::return_cause::client_gone, awkward, awkward, largest};
    CHECK(written(undelivered) <= json_bytes(undelivered));
    protocol::finished const finished{execution_id{largest}, most, protocol::state::cancelled, largest, false};
    CHECK(written(finished) <= json_bytes(finished));
    protocol::attempt_key const key{execution_id{largest}, most};
    CHECK(written(key) <= json_bytes(key));
}

TEST_CASE("a part is taken from the front by number and by bytes, but never nothing")
{
    std::deque<protocol::delivered> all(10, protocol::delivered{execution_id{1}, 1, std::string(57, 'c')}); // 200 bytes
    CHECK(take_front(all, 3, 10'000).size() == 3);
    CHECK(take_front(all, 10, 599).size() == 2);
    CHECK(take_front(all, 10, 600).size() == 3);
    CHECK(take_front(all, 10, 1).size() == 1);
    CHECK(take_front(all, 10, 10'000).size() == 1);
    CHECK(take_front(all, 10, 10'000).empty());
}

TEST_CASE("a service with too many sets of handlers is told without the last ones")
{
    auto one = service_with(10, 1'000);
    CHECK(shorten(one, 100'000) == 0);
    CHECK(one.classes.size() == 10);
    CHECK(shorten(one, 5'000) == 6);
    CHECK(one.classes.size() == 4);
    CHECK(shorten(one, 10) == 4);
}

} // namespace report_size_test
