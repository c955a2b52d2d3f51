#include "locks/sql/release_notifier.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/storage/statement.hpp"

#include <utility>

namespace baton::lock {

namespace {

constexpr long most_blocked = 2; // sessions that wait in the server; further waiters poll

using storage::statement;

class server_notifier final : public release_notifier {
public:
    using opener = std::function<std::unique_ptr<storage::database>(std::size_t)>;

    server_notifier(asio::any_io_executor loop, opener open) : loop_(std::move(loop)), open_(std::move(open)) {}

    awaitable<void> arm(std::string name) override { return call(get, std::move(name), ", 0)"); }
    awaitable<void> signal(std::string name) override { return call(release, std::move(name), ")"); }

    std::shared_ptr<waker> subscribe(std::string name) override
    {
        if (blocked_.use_count() > most_blocked)
            return nullptr;
        if (!waiting_)
            waiting_ = open_(most_blocked);
        auto const wakeup = std::make_shared<waker>(loop_);
        auto wait = block(*waiting_, std::move(name), wakeup, blocked_);
        asio::co_spawn(loop_, supervised("lock notification", std::move(wait)), asio::detached);
        return wakeup;
    }

private:
    using place = std::shared_ptr<void>; // counts the sessions that wait in the server

    // A statement that waits cannot be cancelled, so no waiter awaits this coroutine. Its end may outlive the notifier.
    static awaitable<void> block(storage::database& database, std::string name, std::shared_ptr<waker> wakeup, place)
    {
        auto const work = [&](soci::session& sql) {
            select(sql, get, name, ", 1)");
            select(sql, release, name, ")");
        };
        co_await run_ignoring_failure(database, work);
        wakeup->wake();
    }

    using function = storage::fragment storage::named_lock_words::*;
    static constexpr function get = &storage::named_lock_words::get;
    static constexpr function release = &storage::named_lock_words::release;

    // The prefix keeps the names apart from those of the election's guards.
    static void select(soci::session& sql, function which, std::string const& name, char const* end)
    {
        auto const& words = storage::dialect_of(sql).named_locks();
        statement(sql)
            .column(words.*which)(words.name_begin, "l:" + name, words.name_end, storage::fragment{end})
            .each([](storage::row& cells) { cells.maybe_number(); });
    }

    template <class Work>
    static awaitable<void> run_ignoring_failure(storage::database& database, Work const& work)
    {
        try {
            co_await database.run(work);
        } catch (unavailable const& failure) {
            log::debug("lock", "notifying waiters in the database failed, they poll", {log::reason(failure.what())});
        }
    }

    awaitable<void> call(function which, std::string name, char const* end)
    {
        if (!holding_)
            holding_ = open_(1);
        auto const work = [&](soci::session& sql) { select(sql, which, name, end); };
        co_await run_ignoring_failure(*holding_, work);
    }

    asio::any_io_executor loop_;
    opener open_;
    std::unique_ptr<storage::database> holding_; // one session, which holds all named locks
    std::unique_ptr<storage::database> waiting_;
    place blocked_ = std::make_shared<bool>();
};

} // namespace

std::unique_ptr<release_notifier>
make_release_notifier(asio::any_io_executor loop, std::function<std::unique_ptr<storage::database>(std::size_t)> open)
{
    return std::make_unique<server_notifier>(std::move(loop), std::move(open));
}

awaitable<void> holder_notification::arm()
{
    if (notifier_ == nullptr)
        co_return;
    armed_ = true;
    co_await notifier_->arm(name_);
}

// Both statements run on the same session, in the order of the calls.
awaitable<void> holder_notification::signal()
{
    if (std::exchange(armed_, false))
        co_await notifier_->signal(name_);
}

} // namespace baton::lock
