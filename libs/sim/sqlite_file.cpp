#include "libs/sim/sqlite_file.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>
#include <exception>

namespace baton::sim {

namespace {

constexpr auto stubborn = virtual_time::manner::stubborn;
constexpr duration longest_look = 100ms; // of the busy handler, from one to the next

} // namespace

struct sqlite_file::fate {
    duration there{};  // to the thread of the session
    duration before{}; // with the write lock, until others can see what was written
    duration after{};  // and from there on, until the lock is free
    duration back{};
    bool fails = false;
    bool happens = false; // though it fails
};

// What a process has: one session, and a queue before it.
class sqlite_file::session final : public storage::database {
public:
    session(sqlite_file& file, host& who, duration busy_limit) : file_(file), who_(who), busy_limit_(busy_limit) {}

    storage::engine engine() const override { return storage::engine::sqlite; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        // A coroutine of its own, which no cancellation reaches.
        auto course = take_turn(work, in_transaction);
        auto token = asio::bind_cancellation_slot(asio::cancellation_slot(), asio::use_awaitable);
        co_await asio::co_spawn(file_.loop_, std::move(course), token);
    }

private:
    struct turn {
        session& mine;
        ~turn() { mine.next(); }
    };

    awaitable<void> take_turn(job const& work, bool in_transaction)
    {
        auto const called = std::make_shared<bell>(file_.time_);
        queue_.push_back(called);
        turn const mine{*this};
        if (queue_.size() > 1)
            co_await called->wait_until(instant::max(), &who_.span(), stubborn);
        if (!who_.alive())
            throw boost::system::system_error(asio::error::operation_aborted);
        co_await file_.carry_out(who_, busy_limit_, work, in_transaction);
    }

    void next()
    {
        queue_.pop_front();
        if (!queue_.empty())
            queue_.front()->ring();
    }

    sqlite_file& file_;
    host& who_;
    duration busy_limit_;
    std::deque<std::shared_ptr<bell>> queue_; // the first has the session
};

class sqlite_file::plain final : public storage::database {
public:
    explicit plain(sqlite_file& file) : file_(file) {}
    storage::engine engine() const override { return storage::engine::sqlite; }

protected:
    awaitable<void> execute(job const& work, bool in_transaction) override
    {
        file_.store_.run(work, in_transaction, file_.time_.utc());
        co_return;
    }

private:
    sqlite_file& file_;
};

// Free again when its holder is done, or dies.
class sqlite_file::write_lock {
public:
    write_lock(sqlite_file& file, host const& who) : file_(file) { file_.writer_ = &who; }
    ~write_lock() { file_.writer_ = nullptr; }
    write_lock(write_lock const&) = delete;

private:
    sqlite_file& file_;
};

sqlite_file::sqlite_file(std::string name, asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed)
    : name_(std::move(name)),
      loop_(loop),
      time_(time),
      log_(log),
      random_(seed),
      nobody_([](lock_wait&) {}),
      store_(nobody_)
{}

sqlite_file::~sqlite_file() = default;

std::unique_ptr<storage::database> sqlite_file::open_by(host& who, duration busy_limit)
{
    return std::make_unique<session>(*this, who, busy_limit);
}

std::unique_ptr<storage::database> sqlite_file::direct()
{
    return std::make_unique<plain>(*this);
}

void sqlite_file::inspect(std::function<void(soci::session&)> const& look)
{
    store_.run(look, false, time_.utc());
}

void sqlite_file::occupy_for(duration span)
{
    occupied_until_ = std::max(occupied_until_, time_.now() + span);
    log_.note(fmt::format("{} is written by another program for {} us", name_, span.count()));
}

duration sqlite_file::between(duration least, duration most)
{
    auto const width = static_cast<std::uint64_t>((most - least).count());
    return least + duration{static_cast<std::int64_t>(random_.below(width + 1))};
}

sqlite_file::fate sqlite_file::draw()
{
    fate luck;
    luck.there = between(faults.quickest, faults.slowest);
    luck.before = between(faults.quickest, faults.slowest);
    luck.after = between(faults.quickest, faults.slowest);
    luck.back = between(faults.quickest, faults.slowest);
    bool const slow = random_.fraction() < faults.slow;
    bool const early = random_.below(2) == 0;
    auto const longer = between(0us, faults.slow_most);
    if (slow)
        (early ? luck.before : luck.after) += longer;
    luck.fails = random_.fraction() < faults.fail;
    luck.happens = random_.below(2) == 0;
    return luck;
}

// So much later, and not while the process stands still. Ends with operation_aborted when it dies.
awaitable<void> sqlite_file::pass(host& who, duration span)
{
    auto const place = time_.reserve(time_.now() + span);
    co_await time_.rest(place, &who.span(), stubborn);
    co_await time_.rest_while_frozen(who.span(), stubborn);
}

awaitable<void> sqlite_file::wait_to_write(host& who, duration busy_limit)
{
    for (duration waited{}; writer_ != nullptr || time_.now() < occupied_until_;) {
        if (waited >= busy_limit)
            throw unavailable("database: database is locked");
        auto const pause = std::min(between(1ms, longest_look), busy_limit - waited);
        co_await pass(who, pause);
        waited += pause;
    }
}

awaitable<void> sqlite_file::carry_out(host& who, duration busy_limit, memory_store::job const& work,
                                       bool in_transaction)
{
    auto const number = ++calls_;
    auto const luck = draw();
    co_await pass(who, luck.there);
    bool const reads = !in_transaction && store_.read(work, time_.utc());
    if (reads)
        co_await pass(who, luck.before + luck.after);
    else
        co_await write(who, busy_limit, work, in_transaction, luck);
    log_.note(fmt::format("{}: call {} of {}{}", name_, number, who.name(), luck.fails ? " fails" : ""));
    co_await pass(who, luck.back);
    if (luck.fails)
        throw unavailable("database: disk I/O error");
}

awaitable<void> sqlite_file::write(host& who, duration busy_limit, memory_store::job const& work, bool in_transaction,
                                   fate const& luck)
{
    co_await wait_to_write(who, busy_limit);
    std::optional<write_lock> lock;
    lock.emplace(*this, who);
    co_await pass(who, luck.before);
    std::exception_ptr failure;
    try {
        if (!luck.fails || luck.happens)
            store_.run(work, in_transaction, time_.utc());
    } catch (...) {
        failure = std::current_exception();
    }
    co_await pass(who, luck.after);
    lock.reset();
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace baton::sim
