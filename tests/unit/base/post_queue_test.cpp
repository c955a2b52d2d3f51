#include "libs/base/post_queue.hpp"
#include "libs/sim/virtual_time.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <thread>

namespace post_queue_test {

using namespace baton;

namespace {

// Holds the queue's task group open until the end of the test.
struct fixture {
    fixture() { asio::co_spawn(loop, group.around(stop.wait()), asio::detached); }
    ~fixture()
    {
        stop.wake();
        time.run_for(1s);
    }

    void post_one()
    {
        queue.post([this] {
            ++runs;
            last_thread = std::this_thread::get_id();
        });
    }

    asio::io_context loop;
    sim::virtual_time time{loop};
    task_group group{loop.get_executor()};
    waker stop{loop.get_executor()};
    post_queue queue{loop.get_executor(), time, group};
    int runs = 0;
    std::thread::id last_thread;
};

} // namespace

TEST_CASE("functions posted by another thread run together on the loop when the maximum delay has passed")
{
    fixture test;
    std::thread other([&] {
        test.post_one();
        test.post_one();
    });
    other.join();
    test.time.run_for(post_queue::max_delay - 1us);
    CHECK(test.runs == 0);
    test.time.run_for(1us);
    CHECK(test.runs == 2);
    CHECK(test.last_thread == std::this_thread::get_id());
}

TEST_CASE("posted functions run in their order, and an idle queue has no coroutine but still serves later posts")
{
    fixture test;
    std::string order;
    test.queue.post([&] { order += "a"; });
    test.queue.post([&] { order += "b"; });
    test.time.run_for(1h);
    test.queue.post([&] { order += "c"; });
    test.time.run_for(post_queue::max_delay);
    CHECK(order == "abc");
    test.time.run_for(1h);
    CHECK(test.group.size() == 0);
}

TEST_CASE("a posted function that throws does not prevent the others from running")
{
    fixture test;
    test.queue.post([] { throw std::runtime_error("no"); });
    test.post_one();
    test.time.run_for(1s);
    test.post_one();
    test.time.run_for(post_queue::max_delay);
    CHECK(test.runs == 2);
}

TEST_CASE("a thousand posted functions run without waiting for the maximum delay")
{
    fixture test;
    for (int i = 0; i < 1'000; ++i)
        test.post_one();
    test.time.run_for(1us);
    CHECK(test.runs == 1'000);
}

TEST_CASE("run_pending() runs posted functions at once, and they do not run again")
{
    fixture test;
    test.post_one();
    CHECK(test.queue.run_pending());
    CHECK(test.runs == 1);
    CHECK_FALSE(test.queue.run_pending());
    test.time.run_for(1s);
    CHECK(test.runs == 1);
}

} // namespace post_queue_test
