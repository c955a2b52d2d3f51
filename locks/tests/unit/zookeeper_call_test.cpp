// An answer passes from the thread on which it arrives to the waiting loop or thread.

#include "libs/base/error.hpp"
#include "libs/base/run_here.hpp"
#include "locks/zookeeper/call.hpp"

#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>

#include <future>

using namespace baton;
using namespace baton::lock;

namespace {

zoo_reply reply(std::string path)
{
    zoo_reply made;
    made.done = true;
    made.node.path = std::move(path);
    return made;
}

// On a loop, or blocking its thread.
template <class Result>
Result wait(bool fixture, awaitable<Result> part)
{
    if (fixture)
        return run_here(std::move(part));
    asio::io_context loop(1);
    auto got = asio::co_spawn(loop, std::move(part), asio::use_future);
    loop.run();
    return got.get();
}

struct world {
    bool fixture = GENERATE(true, false);
    system_time time;
    std::shared_ptr<zoo_call> call = std::make_shared<zoo_call>();

    zoo_reply answer(duration limit) { return wait(fixture, zoo_call::answer_to(call, time, time.now() + limit)); }
};

} // namespace

TEST_CASE("an answer reaches its waiter, whichever comes first")
{
    world in;
    SECTION("the answer")
    {
        in.call->answer(reply("/a"));
    }
    std::future<void> client;
    SECTION("the waiter")
    {
        client = std::async(std::launch::async, [&] { in.call->answer(reply("/a")); });
    }
    CHECK(in.answer(1h).node.path == "/a");
}

TEST_CASE("a request without an answer in time fails, and a later answer is ignored")
{
    world in;
    CHECK_THROWS_WITH(in.answer(10ms), "ZooKeeper does not answer");
    in.call->answer(reply("/a")); // the waiter's loop is gone
}

TEST_CASE("a failed request throws")
{
    world in;
    zoo_reply lost;
    lost.failure = "the connection is lost";
    in.call->answer(lost);
    CHECK_THROWS_AS(in.answer(1h), unavailable);
}
