#include "libs/base/error.hpp"
#include "trigger/master/task_book.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <ctime>

namespace task_book_test {

using namespace baton;
using namespace baton::trigger;

namespace {

std::string const text =
    R"({"name": "t", "service": "s", "handler": "h", "schedule": {"kind": "fixed_rate", "every_ms": 1000}})";

} // namespace

TEST_CASE("a version of a task is parsed once, and again with its timetable when that is wanted")
{
    task_book book;
    auto const first = book.get(task_id{1}, 1, text, std::nullopt);
    CHECK(book.get(task_id{1}, 1, "not read", std::nullopt) == first);
    CHECK_FALSE(first->timetable);
    auto const planned = book.get(task_id{1}, 1, "not read", utc_time{});
    CHECK(planned->timetable);
    CHECK(planned->definition.name == "t");
    CHECK(book.get(task_id{1}, 1, "not read", std::nullopt) == planned);
    CHECK(book.size() == 1);
}

TEST_CASE("two versions of a task stay in the book, while executions of the older one are open")
{
    task_book book;
    auto const old = book.get(task_id{1}, 1, text, std::nullopt);
    auto const present = book.get(task_id{1}, 2, text, utc_time{});
    CHECK(book.get(task_id{1}, 1, "not read", std::nullopt) == old);
    CHECK(book.get(task_id{1}, 2, "not read", utc_time{}) == present);
}

TEST_CASE("a miss drops the task that was not asked for longest, also while executions refer to all of them")
{
    task_book book(3);
    std::vector<std::shared_ptr<known_task const>> used;
    for (int id = 1; id <= 3; ++id)
        used.push_back(book.get(task_id{id}, 1, text, std::nullopt));
    book.get(task_id{1}, 1, "not read", std::nullopt);
    used.push_back(book.get(task_id{4}, 1, text, std::nullopt));
    CHECK(book.size() == 3);
    for (int id : {1, 3, 4})
        CHECK_NOTHROW(book.get(task_id{id}, 1, "not read", std::nullopt));
    CHECK_THROWS_AS(book.get(task_id{2}, 1, "not JSON", std::nullopt), invalid_input);
    CHECK(book.size() == 3);
}

TEST_CASE("a miss costs no more in a full book, although executions refer to all of its tasks")
{
    constexpr int full = 20'000;
    constexpr int misses = 2'000;
    task_book book(full);
    std::vector<std::shared_ptr<known_task const>> used;
    int last = 0;
    auto const cost_of = [&](int count) {
        auto const before = std::clock();
        for (int i = 0; i < count; ++i)
            used.push_back(book.get(task_id{++last}, 1, text, std::nullopt));
        return std::clock() - before;
    };
    auto const empty = cost_of(misses);
    cost_of(full - misses);
    CHECK(book.size() == full);
    CHECK(cost_of(misses) < 4 * empty + CLOCKS_PER_SEC / 20); // of processor time
    CHECK(book.size() == full);
}

TEST_CASE("other work runs while a page of new tasks is parsed, and a page of known tasks takes one step")
{
    task_book book;
    std::vector<storage::due_task> page;
    for (int id = 1; id <= 320; ++id)
        page.push_back({task_id{id}, 1, {}, {}, id == 7 ? "not JSON" : text});
    auto const steps_of_others = [&] {
        asio::io_context loop;
        bool learned = false;
        int steps = 0;
        auto const learn = [&]() -> awaitable<void> {
            co_await book.learn(page);
            learned = true;
        };
        auto const count = [&]() -> awaitable<void> {
            while (!learned) {
                ++steps;
                co_await asio::post(asio::use_awaitable);
            }
        };
        asio::co_spawn(loop, learn, asio::detached);
        asio::co_spawn(loop, count, asio::detached);
        loop.run();
        return steps;
    };
    CHECK(steps_of_others() >= 9);
    CHECK(book.size() == 319);
    page.erase(page.begin() + 6);
    CHECK(steps_of_others() <= 1);
}

} // namespace task_book_test
