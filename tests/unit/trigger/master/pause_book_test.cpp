#include "trigger/master/pause_book.hpp"

#include <catch2/catch.hpp>

namespace pause_book_test {

using namespace baton;
using namespace baton::trigger;
using protocol::paused_firings;

namespace {

utc_time at(int second)
{
    return utc_time{std::chrono::seconds{second}};
}

protocol::pause pause(protocol::service_key of, paused_firings firings, int since, std::optional<int> end = {})
{
    protocol::pause one;
    one.of = std::move(of);
    one.firings = firings;
    one.reason = "deployment";
    one.since = at(since);
    if (end)
        one.ended_at = at(*end);
    return one;
}

protocol::service_view const billing{"shop", "billing"};

} // namespace

TEST_CASE("a service is paused by a pause of its own or of its project, and by no other")
{
    CHECK(pause_book().in_force(billing) == nullptr);
    CHECK(pause_book({pause({"shop", "billing"}, paused_firings::hold, 10)}).in_force(billing) != nullptr);
    CHECK(pause_book({pause({"shop", ""}, paused_firings::hold, 10)}).in_force(billing) != nullptr);
    CHECK(pause_book({pause({"shop", "stock"}, paused_firings::hold, 10)}).in_force(billing) == nullptr);
    CHECK(pause_book({pause({"other", ""}, paused_firings::hold, 10)}).in_force(billing) == nullptr);
    CHECK(pause_book({pause({"shop", ""}, paused_firings::skip, 10, 20)}).in_force(billing) == nullptr);
}

TEST_CASE("a pause skips the firings from its beginning up to its end, also after it has ended")
{
    pause_book const book({pause({"shop", "billing"}, paused_firings::skip, 10, 20)});
    CHECK(book.skips(billing, at(9)) == nullptr);
    CHECK(book.skips(billing, at(10)) != nullptr);
    CHECK(book.skips(billing, at(19)) != nullptr);
    CHECK(book.skips(billing, at(20)) == nullptr);
    pause_book const holds({pause({"shop", "billing"}, paused_firings::hold, 10)});
    CHECK(holds.skips(billing, at(15)) == nullptr);
    pause_book const both(
        {pause({"shop", "billing"}, paused_firings::hold, 10), pause({"shop", ""}, paused_firings::skip, 10)});
    CHECK(both.skips(billing, at(15)) != nullptr);
}

TEST_CASE("the text of a pause says what is paused, why and by whom")
{
    auto one = pause({"default", "billing"}, paused_firings::hold, 1);
    CHECK(to_text(one) == "service 'billing' is paused: deployment");
    one.of = {"shop", ""};
    one.begun_by = "ann";
    CHECK(to_text(one) == "project 'shop' is paused: deployment (by ann)");
}

} // namespace pause_book_test
