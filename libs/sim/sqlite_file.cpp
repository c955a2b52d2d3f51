#include "libs/sim/sqlite_file.hpp"

#include "libs/sim/random_between.hpp"
#include "libs/storage/dialect.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>
#include <exception>

namespace baton::sim {

namespace {

constexpr duration longest_look = 100ms; // longest pause between two attempts of the busy handler

} // namespace

struct sqlite_file::drawn_faults {
    duration there{};  // from the caller to the session's thread
    duration before{}; // from the write lock to the moment at which the write becomes visible
    duration after{};  // from there to the release of the lock
    duration back{};   // from the thread to the caller
    bool fails = false;
    bool happens = false; // takes effect although it fails
};

// The session of one process and the queue of its calls.
class sqlite_file::session final : public storage::database {
public:
    session(sqlite_file& file, host& process, duration busy_limit)
        : file_(file), process_(process), busy_limit_(busy_limit)
    {}

    storage::dialect const& dialect() const override { return storage::dialect_of(storage::engine::sqlite); }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        // A separate coroutine, which the caller's cancellation does not reach.
        auto course = take_turn(work, in_transaction);
        auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
        co_await asio::co_spawn(file_.env_.loop, std::move(course), token);
    }

private:
    struct turn {
        session& mine;
        ~turn() { mine.next(); }
    };

    awaitable<void> take_turn(job const& work, bool in_transaction)
    {
        auto const called = std::make_shared<event>(file_.env_.time);
        queue_.push_back(called);
        turn const mine{*this};
        if (queue_.size() > 1)
            co_await called->wait_until(instant::max(), &process_.span(), virtual_time::sleep_kind::uncancellable);
        if (!process_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        co_await file_.carry_out(process_, busy_limit_, work, in_transaction);
    }

    void next()
    {
        queue_.pop_front();
        if (!queue_.empty())
            queue_.front()->set();
    }

    sqlite_file& file_;
    host& process_;
    duration busy_limit_;
    std::deque<std::shared_ptr<event>> queue_; // the first has the session
};

class sqlite_file::plain final : public storage::database {
public:
    explicit plain(sqlite_file& file) : file_(file) {}
    storage::dialect const& dialect() const override { return storage::dialect_of(storage::engine::sqlite); }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        file_.store_.run(work, in_transaction, file_.env_.time.utc());
        co_return;
    }

private:
    sqlite_file& file_;
};

// Holds the file's write lock, and releases it when the call ends or its process dies.
class sqlite_file::write_lock {
public:
    write_lock(sqlite_file& file, host const& process) : file_(file) { file_.writer_ = &process; }
    ~write_lock() { file_.writer_ = nullptr; }
    write_lock(write_lock const&) = delete;

private:
    sqlite_file& file_;
};

sqlite_file::sqlite_file(std::string name, environment env, std::uint64_t seed)
    : name_(std::move(name)), env_(env), random_(seed), no_sessions_([](lock_wait&) {}), store_(no_sessions_)
{}

sqlite_file::~sqlite_file() = default;

std::unique_ptr<storage::database> sqlite_file::open_by(host& process, duration busy_limit)
{
    return std::make_unique<session>(*this, process, busy_limit);
}

std::unique_ptr<storage::database> sqlite_file::direct()
{
    return std::make_unique<plain>(*this);
}

void sqlite_file::inspect(std::function<void(soci::session&)> const& look)
{
    store_.run(look, false, env_.time.utc());
}

void sqlite_file::occupy_for(duration span)
{
    occupied_until_ = std::max(occupied_until_, env_.time.now() + span);
    env_.log.note(fmt::format("another program writes to {} for {} us", name_, span.count()));
}

sqlite_file::drawn_faults sqlite_file::draw()
{
    drawn_faults drawn;
    drawn.there = random_between(random_, faults.min_latency, faults.max_latency);
    drawn.before = random_between(random_, faults.min_latency, faults.max_latency);
    drawn.after = random_between(random_, faults.min_latency, faults.max_latency);
    drawn.back = random_between(random_, faults.min_latency, faults.max_latency);
    bool const slow = random_.fraction() < faults.slow;
    bool const early = random_.below(2) == 0;
    auto const longer = random_between(random_, 0us, faults.slow_max);
    if (slow)
        (early ? drawn.before : drawn.after) += longer;
    drawn.fails = random_.fraction() < faults.fail;
    drawn.happens = random_.below(2) == 0;
    return drawn;
}

// Waits for `span`, and longer if the process is frozen. Ends with operation_aborted when the process dies.
awaitable<void> sqlite_file::pass(host& process, duration span)
{
    auto const place = env_.time.reserve(env_.time.now() + span);
    co_await env_.time.sleep_at(place, &process.span(), virtual_time::sleep_kind::uncancellable);
    co_await env_.time.sleep_while_frozen(process.span(), virtual_time::sleep_kind::uncancellable);
}

awaitable<void> sqlite_file::wait_to_write(host& process, duration busy_limit)
{
    for (duration waited{}; writer_ != nullptr || env_.time.now() < occupied_until_;) {
        if (waited >= busy_limit)
            throw unavailable("database: database is locked");
        auto const pause = std::min(random_between(random_, 1ms, longest_look), busy_limit - waited);
        co_await pass(process, pause);
        waited += pause;
    }
}

awaitable<void> sqlite_file::carry_out(host& process, duration busy_limit, memory_store::job const& work,
                                       bool in_transaction)
{
    auto const number = ++calls_;
    auto const drawn = draw();
    co_await pass(process, drawn.there);
    bool const reads = !in_transaction && store_.read(work, env_.time.utc());
    if (reads)
        co_await pass(process, drawn.before + drawn.after);
    else
        co_await write(process, busy_limit, work, in_transaction, drawn);
    env_.log.note(fmt::format("{}: call {} of {}{}", name_, number, process.name(), drawn.fails ? " fails" : ""));
    co_await pass(process, drawn.back);
    if (drawn.fails)
        throw unavailable("database: disk I/O error");
}

awaitable<void> sqlite_file::write(host& process, duration busy_limit, memory_store::job const& work,
                                   bool in_transaction, drawn_faults const& drawn)
{
    co_await wait_to_write(process, busy_limit);
    std::optional<write_lock> lock;
    lock.emplace(*this, process);
    co_await pass(process, drawn.before);
    std::exception_ptr failure;
    try {
        if (!drawn.fails || drawn.happens)
            store_.run(work, in_transaction, env_.time.utc());
    } catch (...) {
        failure = std::current_exception();
    }
    co_await pass(process, drawn.after);
    lock.reset();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace baton::sim
