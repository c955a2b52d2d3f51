#include "web/events/change_log.hpp"
#include "web/events/event_stream.hpp"

#include <catch2/catch.hpp>

namespace change_log_test {

using namespace baton;
using namespace baton::web;
using storage::topic;

namespace {

topic_set of(std::initializer_list<topic> some)
{
    topic_set set;
    for (auto const one : some)
        set.set(static_cast<std::size_t>(one));
    return set;
}

storage::marks with(topic which, std::string mark)
{
    storage::marks seen;
    seen[static_cast<std::size_t>(which)] = std::move(mark);
    return seen;
}

} // namespace

TEST_CASE("the first sighting changes every topic, and one that equals it nothing")
{
    change_log log("a");
    CHECK(log.place() == "a-0");
    CHECK(log.take({}));
    CHECK(log.place() == "a-1");
    CHECK(log.since("a-0").all());
    CHECK_FALSE(log.take({}));
    CHECK(log.place() == "a-1");
    CHECK(log.since("a-1").none());
}

TEST_CASE("a page that comes back is told of every topic that has changed since its last event, once")
{
    change_log log("a");
    log.take({});
    CHECK(log.take(with(topic::clients, "x")));
    auto both = with(topic::clients, "x");
    both[static_cast<std::size_t>(topic::terms)] = "2";
    CHECK(log.take(both));
    CHECK(log.since("a-1") == of({topic::clients, topic::terms}));
    CHECK(log.since("a-2") == of({topic::terms}));
    CHECK(log.since("a-3").none());
}

TEST_CASE("an id that this process did not give means that everything may have changed")
{
    change_log log("a");
    log.take({});
    for (std::string const place : {"b-1", "a-2", "a", "", "a-", "a-x", "a--1", "a-01"}) {
        INFO(place);
        CHECK(log.since(place).all());
    }
}

TEST_CASE("an event has an id, a name, and its topics in a line of JSON")
{
    CHECK(event_text("a-7", of({topic::tasks, topic::zones})) ==
          "id: a-7\nevent: changed\ndata: {\"topics\":[\"tasks\",\"zones\"]}\n\n");
    CHECK(event_text("a-7", {}) == "id: a-7\nevent: changed\ndata: {\"topics\":[]}\n\n");
}

} // namespace change_log_test
