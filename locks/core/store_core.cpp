#include "locks/core/store_core.hpp"

#include "libs/base/id.hpp"
#include "libs/base/process.hpp"
#include "libs/base/run_here.hpp"
#include "locks/core/caller_error.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::lock {

namespace {

constexpr duration end_limit = 2s;
constexpr duration for_ever = std::chrono::hours{24 * 365 * 10};

} // namespace

// A kind of lock with the context that its locks share.
struct store_core::kind_entry {
    kind_entry(store_context& store, std::unique_ptr<lock_kind> made) : kind(std::move(made)), context{store, *kind}
    {
        context.metrics.kind = kind->name();
    }

    std::unique_ptr<lock_kind> kind;
    lock_context context;
};

store_core::store_core(std::string const& url, store_options const& options)
    : random_(entropy()),
      loop_(time_),
      context_{loop_.thread().executor(),
               loop_.thread().context(),
               time_,
               random_,
               loop_.tasks(),
               loop_.posts(),
               make_incarnation(host_name(), process_id(), boot_id(), random_),
               closing_.get_token()},
      backend_(open_backend(url, options, {context_.loop, time_, random_}))
{
    for (auto& each : backend_->kinds()) {
        auto const name = each->name();
        if (default_kind_.empty())
            default_kind_ = name;
        kinds_.emplace(name, std::make_unique<kind_entry>(context_, std::move(each)));
    }
    loop_.start();
}

store_core::~store_core()
{
    close();
}

void store_core::close()
{
    closing_.request_stop();
    if (!calls_.close())
        return;
    loop_.thread().wait(end_all());
    loop_.end();
}

awaitable<void> store_core::end_all()
{
    auto const until = time_.now() + end_limit;
    loop_.posts().run_pending();
    for (auto const& [name, entry] : kinds_) {
        auto const held = entry->context.held;
        for (auto const& each : held)
            co_await supervised("release at the end of the store",
                                each->end(until)); // a failure must not stop the rest
        co_await supervised("last calls of the store", entry->kind->calls_ended(until));
    }
    loop_.stop();
}

void store_core::refuse_loop()
{
    if (loop_.thread().is_this_thread())
        throw std::system_error(make_error_code(lock_errc::misuse),
                                "a call that waits on the store's own thread would never end");
}

template <class Result>
Result store_core::wait(awaitable<Result> part)
{
    refuse_loop();
    open_calls::call const open(calls_);
    return wait_within(open, std::move(part));
}

template <class Result>
Result store_core::wait_within(open_calls::call const&, awaitable<Result> part)
{
    auto const error = std::make_shared<caller_error>();
    auto const check = [&] {
        if (error->code)
            throw error->exception();
    };
    if constexpr (std::is_void_v<Result>) {
        loop_.thread().wait(caught(std::move(part), error));
        check();
    } else {
        auto result = loop_.thread().wait(caught(std::move(part), error));
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
    loop_.posts().run_pending();
    for (auto const& [name, entry] : kinds_) {
        all.push_back(entry->context.metrics);
        for (auto const& each : entry->context.held)
            all.back().held += !each->over();
    }
    co_return all;
}

std::shared_ptr<lock_holder> store_core::make(std::string const& kind, std::string name, lock_options options,
                                              lock_share share)
{
    auto const found = kinds_.find(kind);
    if (found == kinds_.end())
        throw std::invalid_argument("lock: kind: a " + default_kind_ + " store has no " + kind +
                                    " locks: docs/locks.md lists the stores that have");
    if (options.label.empty())
        options.label = host_name() + ":" + std::to_string(process_id());
    return std::make_shared<lock_holder>(found->second->context, std::move(name), std::move(options), share);
}

instant store_core::after(duration span) const
{
    return time_.now() + std::clamp(span, duration{}, for_ever);
}

// Keeps the holder alive while it runs.
awaitable<bool> store_core::acquire_on_loop(std::shared_ptr<lock_holder> holder, instant until, std::stop_token stop,
                                            std::optional<sent_try> begun)
{
    co_return co_await holder->acquire(until, std::move(stop), std::move(begun));
}

// The caller's thread takes a free lock itself, if the kind allows it: a thread switch costs as much as a short
// statement.
bool store_core::acquire(std::shared_ptr<lock_holder> holder, duration span)
{
    refuse_loop();
    open_calls::call const open(calls_);
    auto const until = after(span);
    std::optional<sent_try> begun;
    if (holder->on_any_thread()) {
        try {
            auto first = holder->try_on_this_thread();
            if (first.granted)
                return true;
            begun = std::move(first.begun);
        } catch (...) {
            throw describe(std::current_exception()).exception();
        }
    }
    return wait_within(open, acquire_on_loop(std::move(holder), until, {}, std::move(begun)));
}

release_result store_core::release(std::shared_ptr<lock_holder> holder)
{
    if (!holder->on_any_thread())
        return wait(release_held(std::move(holder)));
    refuse_loop();
    open_calls::call const open(calls_);
    return run_here(release_held(std::move(holder)));
}

void store_core::start_acquire(std::shared_ptr<lock_holder> holder, duration span, std::stop_token stop,
                               std::function<void(std::exception_ptr, bool)> done)
{
    auto const open = std::make_shared<open_calls::call>(calls_);
    auto const error = std::make_shared<caller_error>();
    auto part = caught(acquire_on_loop(std::move(holder), after(span), std::move(stop)), error);
    asio::co_spawn(context_.loop, std::move(part),
                   [open, error, done = std::move(done)](std::exception_ptr const&, bool granted) {
                       done(error->code ? std::make_exception_ptr(error->exception()) : nullptr, granted);
                   });
}

void store_core::start_release(std::shared_ptr<lock_holder> holder, std::function<void(release_result)> done)
{
    auto const open = std::make_shared<open_calls::call>(calls_);
    asio::co_spawn(context_.loop, release_held(std::move(holder)),
                   [open, done = std::move(done)](std::exception_ptr const& failure, release_result result) {
                       done(failure ? release_result::unknown : result);
                   });
}

// Keeps the holder alive while it runs.
awaitable<release_result> store_core::release_held(std::shared_ptr<lock_holder> holder)
{
    co_return co_await holder->release();
}

void store_core::release_in_background(std::shared_ptr<held_lock> held)
{
    auto const open = std::make_shared<open_calls::call>(calls_);
    asio::post(context_.loop, [open, held] { held->release_in_background(); });
}

} // namespace baton::lock
