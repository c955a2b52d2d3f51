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

sighting with(topic which, std::string mark)
{
    sighting seen;
    seen.marks[static_cast<std::size_t>(which)] = std::move(mark);
    return seen;
}

sighting with_signal(std::int64_t id, protocol::signal_kind kind)
{
    sighting seen;
    seen.signals.push_back({signal_id{id}, kind, "", 0, {}});
    return seen;
}

} // namespace

TEST_CASE("the first sighting changes every topic, and one that equals it nothing")
{
    change_log log("a");
    CHECK(log.place() == "a-0");
    CHECK(log.take({}, true));
    CHECK(log.place() == "a-1");
    CHECK(log.since("a-0").all());
    CHECK_FALSE(log.take({}, false));
    CHECK(log.place() == "a-1");
    CHECK(log.since("a-1").none());
}

TEST_CASE("a page that comes back is told of every topic that has changed since its last event, once")
{
    change_log log("a");
    log.take({}, true);
    CHECK(log.take(with(topic::clients, "x"), false));
    auto both = with(topic::clients, "x");
    both.marks[static_cast<std::size_t>(topic::terms)] = "2";
    CHECK(log.take(both, false));
    CHECK(log.since("a-1") == of({topic::clients, topic::terms}));
    CHECK(log.since("a-2") == of({topic::terms}));
    CHECK(log.since("a-3").none());
}

TEST_CASE("an id that this process did not give means that everything may have changed")
{
    change_log log("a");
    log.take({}, true);
    for (std::string const place : {"b-1", "a-2", "a", "", "a-", "a-x", "a--1", "a-01"}) {
        INFO(place);
        CHECK(log.since(place).all());
    }
}

TEST_CASE("a signal tells its topic once, for as long as it is seen and when it is gone")
{
    using protocol::signal_kind;
    change_log log("a");
    log.take({}, true);
    auto const of_both = of({topic::services, topic::projects});
    for (auto const& [kind, told] : {std::pair{signal_kind::task, of({topic::tasks})},
                                     {signal_kind::edit, of({topic::tasks})},
                                     {signal_kind::run, of({topic::executions})},
                                     {signal_kind::cancel, of({topic::executions})},
                                     {signal_kind::pause, of_both},
                                     {signal_kind::settings, of_both}}) {
        auto const before = log.number();
        auto const signal = 100 + static_cast<int>(kind);
        CHECK(log.take(with_signal(signal, kind), false));
        CHECK(log.since(before) == told);
        CHECK_FALSE(log.take(with_signal(signal, kind), false));
        CHECK_FALSE(log.take({}, false));
    }
}

TEST_CASE("after a gap, or with too many signals, what only signals tell counts as changed")
{
    change_log log("a");
    log.take({}, true);
    auto const told = of({topic::tasks, topic::services, topic::projects});
    CHECK(log.take({}, true));
    CHECK(log.since(1) == told);
    sighting many;
    many.overflow = true;
    CHECK(log.take(many, false));
    CHECK(log.since(2) == told);
}

TEST_CASE("an event has an id, a name, and its topics in a line of JSON")
{
    CHECK(event_text("a-7", of({topic::tasks, topic::zones})) ==
          "id: a-7\nevent: changed\ndata: {\"topics\":[\"tasks\",\"zones\"]}\n\n");
    CHECK(event_text("a-7", {}) == "id: a-7\nevent: changed\ndata: {\"topics\":[]}\n\n");
}

} // namespace change_log_test
