#include "libs/lock/named/core.hpp"

#include "libs/base/id.hpp"
#include "libs/base/log.hpp"
#include "libs/base/process.hpp"
#include "libs/storage/migrations.hpp"

#include <boost/asio/post.hpp>

namespace baton::lock {

namespace {

constexpr char const* tables = "locks"; // the set of migrations
constexpr duration for_ever = std::chrono::hours{24 * 365 * 10};

// Of a holder of a row: it waits in the server for a second at a time.
storage::database_settings of_one_row(store_options const& how, unsigned idle_s)
{
    storage::database_settings made;
    made.sessions = 1;
    made.connect_limit_s = static_cast<unsigned>(how.limit.count());
    made.read_limit_s = std::max(2u, static_cast<unsigned>(how.limit.count()));
    made.lock_wait_s = 1;
    made.idle_session_s = idle_s;
    return made;
}

storage::database_settings settings_of(store_options const& how)
{
    storage::database_settings made;
    made.sessions = how.sessions;
    made.connect_limit_s = static_cast<unsigned>(how.limit.count());
    made.read_limit_s = static_cast<unsigned>(how.limit.count());
    made.lock_wait_s = 1;
    made.create_file = how.create_file;
    return made;
}

} // namespace

// One kind, and what its locks share.
struct core::trade {
    trade(std::unique_ptr<kind> made, core& of)
        : what(std::move(made)), shared{*what,      of.loop_.executor(), of.loop_.context(),      of.time_, of.random_,
                                        of.beside_, of.incarnation_,     of.closing_.get_token(), {},       {}}
    {
        shared.counted.kind = what->name();
    }

    std::unique_ptr<kind> what;
    workshop shared;
};

core::core(storage::location const& where, store_options const& how)
    : random_(entropy()),
      incarnation_(make_incarnation(host_name(), process_id(), boot_id(), random_)),
      label_(host_name() + ":" + std::to_string(process_id())),
      shared_(storage::open_database(where, settings_of(how), time_)),
      beside_(loop_.executor()),
      stop_(loop_.executor())
{
    for (auto const each : {rule::record, rule::lease})
        add(make_table_kind(each, *shared_, time_, random_));
    if (where.engine == storage::engine::mysql) {
        row_parts parts{*shared_, {}, how.rows, time_};
        parts.open = [this, where, how](unsigned idle_s) {
            return storage::open_database(where, of_one_row(how, idle_s), time_);
        };
        add(make_row_kind(std::move(parts)));
    }
    auto const done = std::make_shared<std::promise<void>>();
    ended_ = done->get_future();
    asio::co_spawn(loop_.executor(), live(), [done](std::exception_ptr const&) { done->set_value(); });
}

void core::add(std::unique_ptr<kind> what)
{
    auto const name = what->name();
    trades_.emplace(name, std::make_unique<trade>(std::move(what), *this));
}

core::~core()
{
    close();
}

// What is spawned beside ends with this.
awaitable<void> core::live()
{
    co_await beside_.around(stop_.wait());
}

void core::close()
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

awaitable<void> core::end_all()
{
    for (auto const& [name, each] : trades_) {
        auto const held = each->shared.held;
        for (auto const& one : held)
            co_await one->end();
    }
    stop_.wake();
}

namespace {

// For callers, whatever it was inside.
[[noreturn]] void rethrow_for_callers(std::exception_ptr const& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (std::system_error const&) {
        throw;
    } catch (storage::schema_mismatch const& missing) {
        throw std::system_error(make_error_code(lock_errc::unavailable),
                                std::string(missing.what()) + ", or call store::create_tables()");
    } catch (std::exception const& other) {
        throw std::system_error(make_error_code(lock_errc::unavailable), other.what());
    }
}

} // namespace

// A call in progress, which a close waits for.
class core::call {
public:
    explicit call(core& of) : of_(of)
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
    core& of_;
};

template <class Result>
Result core::wait(awaitable<Result> part)
{
    if (loop_.is_this_thread())
        throw std::system_error(make_error_code(lock_errc::misuse), "a wait on the thread of the locks");
    call const open(*this);
    try {
        return loop_.wait(std::move(part));
    } catch (...) {
        rethrow_for_callers(std::current_exception());
    }
}

void core::create_tables()
{
    auto const done = wait(storage::migrate(*shared_, tables));
    for (auto const& step : done)
        log::info("locks: applied {}", step.name);
}

std::size_t core::reap(duration age)
{
    return wait(reap_all(age));
}

awaitable<std::size_t> core::reap_all(duration age)
{
    std::size_t removed = 0;
    for (auto const each : {rule::record, rule::lease})
        removed += co_await lock::reap(each, *shared_, time_, age);
    co_return removed;
}

std::vector<kind_metrics> core::metrics()
{
    return wait(read_metrics());
}

awaitable<std::vector<kind_metrics>> core::read_metrics()
{
    std::vector<kind_metrics> all;
    for (auto const& [name, each] : trades_) {
        all.push_back(each->shared.counted);
        all.back().held = each->shared.held.size();
    }
    co_return all;
}

std::shared_ptr<holding> core::make(std::string const& kind, std::string name, lock_options options)
{
    auto const found = trades_.find(kind);
    if (found == trades_.end())
        throw std::invalid_argument("lock: this store has none of the kind " + kind);
    if (options.label.empty())
        options.label = label_;
    return std::make_shared<holding>(found->second->shared, std::move(name), std::move(options));
}

instant core::after(duration span) const
{
    return time_.now() + std::clamp(span, duration{}, for_ever);
}

awaitable<bool> core::acquire_on_loop(std::shared_ptr<holding> by, duration span, std::stop_token stop)
{
    try {
        co_return co_await by->acquire(after(span), std::move(stop));
    } catch (...) {
        rethrow_for_callers(std::current_exception());
    }
}

bool core::acquire(std::shared_ptr<holding> by, duration span)
{
    return wait(acquire_on_loop(std::move(by), span, {}));
}

release_result core::release(std::shared_ptr<holding> by)
{
    return wait(release_held(std::move(by)));
}

void core::start_acquire(std::shared_ptr<holding> by, duration span, std::stop_token stop,
                         std::function<void(std::exception_ptr, bool)> done)
{
    auto const open = std::make_shared<call>(*this);
    asio::co_spawn(loop_.executor(), acquire_on_loop(std::move(by), span, std::move(stop)),
                   [open, done = std::move(done)](std::exception_ptr failure, bool granted) {
                       done(std::move(failure), granted);
                   });
}

void core::start_release(std::shared_ptr<holding> by, std::function<void(release_result)> done)
{
    auto const open = std::make_shared<call>(*this);
    asio::co_spawn(loop_.executor(), release_held(std::move(by)),
                   [open, done = std::move(done)](std::exception_ptr const&, release_result how) { done(how); });
}

// Keeps what it releases for as long as that takes.
awaitable<release_result> core::release_held(std::shared_ptr<holding> by)
{
    co_return co_await by->release();
}

void core::let_go(std::shared_ptr<tenure> held)
{
    auto const open = std::make_shared<call>(*this);
    asio::post(loop_.executor(), [open, held] { held->abandon(); });
}

} // namespace baton::lock
