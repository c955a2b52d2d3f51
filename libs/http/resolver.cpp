#include "libs/http/resolver.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

namespace baton::http {

// The names that wait for a thread. The threads end when none waits. They are not joined, because a lookup may hang for
// longer than the process may take to end; `closed` keeps a late answer from a loop that has ended.
struct resolver::shared_state {
    shared_state(asio::any_io_executor on, lookup with, std::size_t most)
        : loop(std::move(on)), how(std::move(with)), threads(most)
    {}

    std::mutex mutex; // guards the members up to `how`
    asio::any_io_executor loop;
    std::deque<std::pair<std::string, std::weak_ptr<resolver>>> waiting;
    std::size_t running = 0;
    bool closed = false;
    lookup const how;
    std::size_t const threads;

    // False if no thread can be started and none is running.
    static bool add(std::shared_ptr<shared_state> const& self, std::string name, std::weak_ptr<resolver> whom)
    {
        std::lock_guard const lock(self->mutex);
        self->waiting.emplace_back(std::move(name), std::move(whom));
        if (self->running >= self->threads)
            return true;
        try {
            std::thread([self] { work(*self); }).detach();
            ++self->running;
        } catch (std::system_error const&) { // too many threads: those that run do it
            if (self->running == 0)
                self->waiting.pop_back();
        }
        return self->running > 0;
    }

    static void work(shared_state& self)
    {
        std::unique_lock lock(self.mutex);
        while (!self.waiting.empty() && !self.closed) {
            auto const [name, whom] = self.waiting.front();
            self.waiting.pop_front();
            lock.unlock();
            auto const answer = self.how(name);
            lock.lock();
            if (!self.closed)
                asio::post(self.loop, [name = name, whom = whom, answer] {
                    if (auto const found = whom.lock())
                        found->finish(name, answer);
                });
        }
        --self.running;
    }
};

resolver::resolver(asio::any_io_executor loop, time_source& time, resolver_settings settings, lookup how)
    : time_(time),
      settings_(settings),
      shared_(std::make_shared<shared_state>(std::move(loop), std::move(how), settings.threads))
{}

resolver::~resolver()
{
    close();
}

void resolver::close()
{
    std::lock_guard const lock(shared_->mutex);
    shared_->closed = true;
    shared_->waiting.clear();
    shared_->loop = {};
}

std::optional<resolved> resolver::find(std::string const& name)
{
    auto place = names_.find(name);
    if (place == names_.end()) {
        drop_old();
        place = names_.try_emplace(name).first;
    }
    auto& one = place->second;
    auto const now = time_.now();
    if (!is_fresh(one, now) && !one.under_way)
        start(name, one);
    bool const usable =
        is_fresh(one, now) || (one.known && !one.answer.failed && now - one.answered < settings_.keep_stale);
    return usable ? std::optional(one.answer) : std::nullopt;
}

bool resolver::is_fresh(entry const& one, instant now) const
{
    return one.known && now - one.answered < (one.answer.failed ? settings_.keep_failure : settings_.keep);
}

void resolver::start(std::string const& name, entry& of)
{
    of.under_way = true;
    if (shared_state::add(shared_, name, weak_from_this()))
        return;
    of.under_way = false;
    of.known = true;
    of.answered = time_.now();
    of.answer = {{}, asio::error::no_memory};
}

void resolver::finish(std::string const& name, resolved answer)
{
    auto const place = names_.find(name);
    if (place == names_.end())
        return;
    auto& one = place->second;
    one.under_way = false;
    auto const now = time_.now();
    // While the name servers fail, the old addresses serve for some time.
    bool const keep_old = answer.failed && one.known && !one.answer.failed && now - one.answered < settings_.keep_stale;
    if (!keep_old) {
        one.answer = std::move(answer);
        one.answered = now;
        one.known = true;
    }
    for (auto* each : std::exchange(one.waiters, {})) {
        each->answer_ = one.answer;
        each->done_.cancel();
    }
}

void resolver::forget(std::string const& name)
{
    if (auto const found = names_.find(name); found != names_.end())
        found->second.known = false;
}

// Walks over all names, but only once for each `names` of them.
void resolver::drop_old()
{
    if (names_.size() < settings_.names)
        return;
    std::erase_if(names_, [](auto const& each) { return !each.second.under_way && each.second.waiters.empty(); });
}

resolver::waiter::waiter(resolver& all, std::string const& name, asio::steady_timer& done,
                         std::optional<resolved>& answer)
    : all_(all.shared_from_this()), name_(name), done_(done), answer_(answer)
{
    all_->names_[name_].waiters.push_back(this);
}

resolver::waiter::~waiter()
{
    if (auto const found = all_->names_.find(name_); found != all_->names_.end())
        std::erase(found->second.waiters, this);
}

resolved resolver::system_lookup(std::string const& name)
{
    using asio::ip::tcp;
    asio::io_context unused(1);
    tcp::resolver blocking(unused);
    resolved answer;
    auto const found = blocking.resolve(name, "", answer.failed);
    for (auto const& each : found)
        if (auto const address = each.endpoint().address();
            std::find(answer.addresses.begin(), answer.addresses.end(), address) == answer.addresses.end())
            answer.addresses.push_back(address);
    if (!answer.failed && answer.addresses.empty())
        answer.failed = asio::error::host_not_found;
    return answer;
}

} // namespace baton::http
