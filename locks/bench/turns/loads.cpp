#include "locks/bench/turns/loads.hpp"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace baton::bench {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto hold = 50ms;

// Makes a contender wait after its release until another one has the lock, so that each hand-over is to a waiter.
class relay {
public:
    explicit relay(int wanted) : wanted_(static_cast<std::size_t>(wanted)) {}

    // The number of the grant, from 1.
    int granted(clock::time_point at)
    {
        std::lock_guard const guard(mutex_);
        if (turns_ > 0 && took_.size() < wanted_)
            took_.push_back(at - left_);
        changed_.notify_all();
        return ++turns_;
    }

    void leaving()
    {
        std::lock_guard const guard(mutex_);
        left_ = clock::now();
    }

    void await_grant_after(int turn)
    {
        std::unique_lock guard(mutex_);
        changed_.wait(guard, [&] { return turns_ != turn; });
    }

    loads::times took() && { return std::move(took_); }

private:
    std::size_t wanted_;
    std::mutex mutex_;
    std::condition_variable changed_;
    loads::times took_;
    int turns_ = 0;
    clock::time_point left_;
};

clock::time_point after(loads::span time)
{
    return clock::now() + std::chrono::duration_cast<clock::duration>(time);
}

} // namespace

loads::times loads::pairs(span time)
{
    contender& one = *contenders_.front();
    times took;
    auto const until = after(time);
    for (auto before = clock::now(); before < until;) {
        one.lock();
        one.unlock();
        auto const now = clock::now();
        took.push_back(now - before);
        before = now;
    }
    std::sort(took.begin(), took.end());
    return took;
}

std::vector<int> loads::turns(span time)
{
    std::vector<int> grants(contenders_.size());
    auto const until = after(time);
    each([&](std::size_t who) {
        while (clock::now() < until) {
            contenders_[who]->lock();
            enter();
            leave();
            contenders_[who]->unlock();
            ++grants[who];
        }
    });
    return grants;
}

loads::times loads::hand_overs(int wanted)
{
    relay turns(wanted);
    each([&](std::size_t who) {
        for (bool over = false; !over;) {
            contenders_[who]->lock();
            int const turn = turns.granted(clock::now());
            enter();
            over = turn > wanted;
            if (!over)
                std::this_thread::sleep_for(hold);
            leave();
            turns.leaving();
            contenders_[who]->unlock();
            if (!over)
                turns.await_grant_after(turn);
        }
    });
    auto took = std::move(turns).took();
    std::sort(took.begin(), took.end());
    return took;
}

void loads::each(std::function<void(std::size_t)> const& work)
{
    std::vector<std::future<void>> all;
    for (std::size_t who = 0; who < contenders_.size(); ++who)
        all.push_back(std::async(std::launch::async, work, who));
    for (auto& one : all)
        one.get();
}

} // namespace baton::bench
