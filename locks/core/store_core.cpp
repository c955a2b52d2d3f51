#include "locks/core/store_core.hpp"

#include "libs/base/id.hpp"
#include "libs/base/log.hpp"
#include "libs/base/process.hpp"
#include "libs/base/run_here.hpp"
#include "libs/storage/migrations.hpp"

#include <boost/asio/post.hpp>

namespace baton::lock {

namespace {

constexpr duration end_limit = 2s;
constexpr duration for_ever = std::chrono::hours{24 * 365 * 10};

} // namespace

// One kind, and what its locks share.
struct store_core::kind_entry {
    kind_entry(std::unique_ptr<lock_kind> made, store_core& of)
        : what(std::move(made)),
          shared{*what,     of.loop_.executor(), of.loop_.context(),      of.time_, of.random_, of.beside_,
                 of.posts_, of.incarnation_,     of.closing_.get_token(), {},       {}}
    {
        shared.counted.kind = what->name();
    }

    std::unique_ptr<lock_kind> what;
    lock_context shared;
};

store_core::store_core(std::string const& url, store_options const& how)
    : random_(entropy()),
      incarnation_(make_incarnation(host_name(), process_id(), boot_id(), random_)),
      label_(host_name() + ":" + std::to_string(process_id())),
      beside_(loop_.executor()),
      posts_(loop_.executor(), time_, beside_),
      stop_(loop_.executor()),
      backend_(open_backend(url, how, {loop_.executor(), time_, random_}))
{
    for (auto& each : backend_->kinds()) {
        auto const name = each->name();
        kinds_.emplace(name, std::make_unique<kind_entry>(std::move(each), *this));
    }
    auto const done = std::make_shared<std::promise<void>>();
    ended_ = done->get_future();
    asio::co_spawn(loop_.executor(), live(), [done](std::exception_ptr const&) { done->set_value(); });
}

store_core::~store_core()
{
    close();
}

// What is spawned beside ends with this.
awaitable<void> store_core::live()
{
    co_await beside_.around(stop_.wait());
}

void store_core::close()
{
    closing_.request_stop();
    {
        std::unique_lock lock(mutex_);
        if (std::exchange(closed_, true))
            return;
        changed_.wait(lock, [this] { return calls_ == 0; });
    }
    loop_.wait(end_all());
    ended_.get();
    loop_.end(); // before anything that its last handlers may refer to
}

awaitable<void> store_core::end_all()
{
    auto const until = time_.now() + end_limit;
    posts_.run_pending();
    for (auto const& [name, each] : kinds_) {
        auto const held = each->shared.held;
        for (auto const& one : held)
            co_await supervised("lock", one->end(until)); // what one fails of must not keep the others
    }
    stop_.wake();
}

namespace {

// Why a call failed, in words for callers. What was thrown stays on the loop: a caller's thread must not be left to
// destroy what the loop's still has in its hands, or the other way round.
struct caller_error {
    std::error_code why;
    std::string what;

    std::system_error exception() const { return std::system_error(why, what); }
};

caller_error told(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (std::system_error const& known) {
        // Its text ends with that of its code, which is added anew.
        std::string text = known.what();
        auto const end = ": " + known.code().message();
        if (text.ends_with(end))
            text.resize(text.size() - end.size());
        return {known.code(), std::move(text)};
    } catch (storage::schema_mismatch const& missing) {
        return {make_error_code(lock_errc::unavailable),
                std::string(missing.what()) + ", or call store::create_tables()"};
    } catch (std::exception const& other) {
        return {make_error_code(lock_errc::unavailable), other.what()};
    }
}

template <class Result>
awaitable<Result> caught(awaitable<Result> part, std::shared_ptr<caller_error> failed)
{
    try {
        co_return co_await std::move(part);
    } catch (...) {
        *failed = told(std::current_exception());
    }
    if constexpr (!std::is_void_v<Result>)
        co_return Result{};
}

} // namespace

// A call in progress, which a close waits for.
class store_core::call {
public:
    explicit call(store_core& of) : of_(of)
    {
        std::lock_guard const lock(of_.mutex_);
        if (of_.closed_)
            throw std::system_error(make_error_code(lock_errc::misuse), "the store is closed");
        ++of_.calls_;
    }
    ~call()
    {
        std::lock_guard const lock(of_.mutex_);
        --of_.calls_;
        of_.changed_.notify_all();
    }
    call(call const&) = delete;
    call& operator=(call const&) = delete;

private:
    store_core& of_;
};

void store_core::refuse_loop() const
{
    if (loop_.is_this_thread())
        throw std::system_error(make_error_code(lock_errc::misuse), "a wait on the thread of the locks");
}

template <class Result>
Result store_core::wait(awaitable<Result> part)
{
    refuse_loop();
    call const open(*this);
    return wait_within(open, std::move(part));
}

template <class Result>
Result store_core::wait_within(call const&, awaitable<Result> part)
{
    auto const failed = std::make_shared<caller_error>();
    auto const check = [&] {
        if (failed->why)
            throw failed->exception();
    };
    if constexpr (std::is_void_v<Result>) {
        loop_.wait(caught(std::move(part), failed));
        check();
    } else {
        auto result = loop_.wait(caught(std::move(part), failed));
        check();
        return result;
    }
}

void store_core::create_tables()
{
    wait(backend_->create_tables());
}

std::size_t store_core::reap(duration age)
{
    return wait(backend_->reap(age));
}

std::vector<kind_metrics> store_core::metrics()
{
    return wait(read_metrics());
}

awaitable<std::vector<kind_metrics>> store_core::read_metrics()
{
    std::vector<kind_metrics> all;
    posts_.run_pending();
    for (auto const& [name, each] : kinds_) {
        all.push_back(each->shared.counted);
        for (auto const& one : each->shared.held)
            all.back().held += !one->over();
    }
    co_return all;
}

std::shared_ptr<lock_holder> store_core::make(std::string const& kind, std::string name, lock_options options,
                                              lock_share of)
{
    auto const found = kinds_.find(kind);
    if (found == kinds_.end())
        throw std::invalid_argument("lock: this store has none of the kind " + kind);
    if (options.label.empty())
        options.label = label_;
    return std::make_shared<lock_holder>(found->second->shared, std::move(name), std::move(options), of);
}

instant store_core::after(duration span) const
{
    return time_.now() + std::clamp(span, duration{}, for_ever);
}

// Keeps what it asks for as long as that takes.
awaitable<bool> store_core::acquire_on_loop(std::shared_ptr<lock_holder> by, instant until, std::stop_token stop,
                                            std::optional<sent_try> begun)
{
    co_return co_await by->acquire(until, std::move(stop), std::move(begun));
}

// What is free is taken without the loop, where the kind can: each change of the thread costs as much as a short
// statement.
bool store_core::acquire(std::shared_ptr<lock_holder> by, duration span)
{
    refuse_loop();
    call const open(*this);
    auto const until = after(span);
    std::optional<sent_try> begun;
    if (by->on_any_thread()) {
        try {
            auto first = by->open();
            if (first.granted)
                return true;
            begun = std::move(first.begun);
        } catch (...) {
            throw told(std::current_exception()).exception();
        }
    }
    return wait_within(open, acquire_on_loop(std::move(by), until, {}, std::move(begun)));
}

release_result store_core::release(std::shared_ptr<lock_holder> by)
{
    if (!by->on_any_thread())
        return wait(release_held(std::move(by)));
    refuse_loop();
    call const open(*this);
    return run_here(release_held(std::move(by)));
}

void store_core::start_acquire(std::shared_ptr<lock_holder> by, duration span, std::stop_token stop,
                               std::function<void(std::exception_ptr, bool)> done)
{
    auto const open = std::make_shared<call>(*this);
    auto const failed = std::make_shared<caller_error>();
    asio::co_spawn(loop_.executor(), caught(acquire_on_loop(std::move(by), after(span), std::move(stop)), failed),
                   [open, failed, done = std::move(done)](std::exception_ptr const&, bool granted) {
                       done(failed->why ? std::make_exception_ptr(failed->exception()) : nullptr, granted);
                   });
}

void store_core::start_release(std::shared_ptr<lock_holder> by, std::function<void(release_result)> done)
{
    auto const open = std::make_shared<call>(*this);
    asio::co_spawn(loop_.executor(), release_held(std::move(by)),
                   [open, done = std::move(done)](std::exception_ptr const& failure, release_result how) {
                       done(failure ? release_result::unknown : how);
                   });
}

// Keeps what it releases for as long as that takes.
awaitable<release_result> store_core::release_held(std::shared_ptr<lock_holder> by)
{
    co_return co_await by->release();
}

void store_core::let_go(std::shared_ptr<held_lock> held)
{
    auto const open = std::make_shared<call>(*this);
    asio::post(loop_.executor(), [open, held] { held->abandon(); });
}

} // namespace baton::lock
