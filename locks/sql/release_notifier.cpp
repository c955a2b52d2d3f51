#include "locks/sql/release_notifier.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/storage/statement.hpp"

#include <utility>

namespace baton::lock {

namespace {

constexpr long most_blocked = 2; // sessions that wait; who finds none free looks from time to time

using storage::statement;

class server_notifier final : public release_notifier {
public:
    using opener = std::function<std::unique_ptr<storage::database>(std::size_t)>;

    server_notifier(asio::any_io_executor loop, opener open) : loop_(std::move(loop)), open_(std::move(open)) {}

    awaitable<void> raise(std::string name) override { return say(get, std::move(name), ", 0)"); }
    awaitable<void> lower(std::string name) override { return say(release, std::move(name), ")"); }

    std::shared_ptr<waker> listen(std::string name) override
    {
        if (blocked_.use_count() > most_blocked)
            return nullptr;
        if (!waiting_)
            waiting_ = open_(most_blocked);
        auto const bell = std::make_shared<waker>(loop_);
        auto waits = block(*waiting_, std::move(name), bell, blocked_);
        asio::co_spawn(loop_, supervised("lock hint", std::move(waits)), asio::detached);
        return bell;
    }

private:
    using place = std::shared_ptr<void>; // one of those who hold it waits in the server

    // Nothing ends such a statement early, so nobody waits for this; it may outlive the hint, but for its statement.
    static awaitable<void> block(storage::database& on, std::string name, std::shared_ptr<waker> bell, place)
    {
        auto const work = [&](soci::session& sql) {
            ask(sql, get, name, ", 1)");
            ask(sql, release, name, ")");
        };
        co_await carry_out(on, work);
        bell->wake();
    }

    using function = storage::fragment storage::named_lock_words::*;
    static constexpr function get = &storage::named_lock_words::get;
    static constexpr function release = &storage::named_lock_words::release;

    // The prefix keeps the names apart from those of the election's guards.
    static void ask(soci::session& sql, function which, std::string const& name, char const* end)
    {
        auto const& words = storage::dialect_of(sql).named_locks();
        statement(sql)
            .column(words.*which)(words.name_begin, "l:" + name, words.name_end, storage::fragment{end})
            .each([](storage::row& cells) { cells.maybe_number(); });
    }

    template <class Work>
    static awaitable<void> carry_out(storage::database& on, Work const& work)
    {
        try {
            co_await on.run(work);
        } catch (unavailable const& failure) {
            log::old::debug("locks: no hint: {}", failure.what());
        }
    }

    awaitable<void> say(function which, std::string name, char const* end)
    {
        if (!holding_)
            holding_ = open_(1);
        auto const work = [&](soci::session& sql) { ask(sql, which, name, end); };
        co_await carry_out(*holding_, work);
    }

    asio::any_io_executor loop_;
    opener open_;
    std::unique_ptr<storage::database> holding_; // of one session, which holds them all
    std::unique_ptr<storage::database> waiting_;
    place blocked_ = std::make_shared<bool>();
};

} // namespace

std::unique_ptr<release_notifier>
make_release_notifier(asio::any_io_executor loop, std::function<std::unique_ptr<storage::database>(std::size_t)> open)
{
    return std::make_unique<server_notifier>(std::move(loop), std::move(open));
}

awaitable<void> holder_notification::raise()
{
    if (of_ == nullptr)
        co_return;
    raised_ = true;
    co_await of_->raise(name_);
}

// One session does both, in the order in which they are asked for.
awaitable<void> holder_notification::lower()
{
    if (std::exchange(raised_, false))
        co_await of_->lower(name_);
}

} // namespace baton::lock
