#include "libs/base/inbox.hpp"
#include "libs/sim/virtual_time.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <thread>

using namespace baton;

namespace {

// A group whose owner lives until the end of the test.
struct bench {
    bench() { asio::co_spawn(loop, group.around(stop.wait()), asio::detached); }
    ~bench()
    {
        stop.wake();
        time.run_for(1s);
    }

    void leave_one()
    {
        soon.leave([this] {
            ++done;
            done_by = std::this_thread::get_id();
        });
    }

    asio::io_context loop;
    sim::virtual_time time{loop};
    task_group group{loop.get_executor()};
    waker stop{loop.get_executor()};
    inbox soon{loop.get_executor(), time, group};
    int done = 0;
    std::thread::id done_by;
};

} // namespace

TEST_CASE("what another thread leaves is done by the loop, within a moment and not at once")
{
    bench here;
    std::thread other([&] {
        here.leave_one();
        here.leave_one();
    });
    other.join();
    here.time.run_for(inbox::moment - 1us);
    CHECK(here.done == 0);
    here.time.run_for(1us);
    CHECK(here.done == 2);
    CHECK(here.done_by == std::this_thread::get_id());
}

TEST_CASE("what is left is done in its order, and what comes after a pause is done too")
{
    bench here;
    std::string order;
    here.soon.leave([&] { order += "a"; });
    here.soon.leave([&] { order += "b"; });
    here.time.run_for(1h);
    here.soon.leave([&] { order += "c"; });
    here.time.run_for(inbox::moment);
    CHECK(order == "abc");
    here.time.run_for(1h);
    CHECK(here.group.size() == 0); // nothing looks where nothing comes
}

TEST_CASE("what fails keeps nothing else from being done")
{
    bench here;
    here.soon.leave([] { throw std::runtime_error("no"); });
    here.leave_one();
    here.time.run_for(1s);
    here.leave_one();
    here.time.run_for(inbox::moment);
    CHECK(here.done == 2);
}

TEST_CASE("very much does not wait for the moment")
{
    bench here;
    for (int i = 0; i < 1'000; ++i)
        here.leave_one();
    here.time.run_for(1us);
    CHECK(here.done == 1'000);
}

TEST_CASE("whoever needs what was left has it done at once")
{
    bench here;
    here.leave_one();
    CHECK(here.soon.hear());
    CHECK(here.done == 1);
    CHECK_FALSE(here.soon.hear());
    here.time.run_for(1s);
    CHECK(here.done == 1);
}
