#include "libs/lock/named/wake_hint.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/storage/query.hpp"

namespace baton::lock {

namespace {

constexpr std::size_t most_blocked = 2; // sessions that wait; who finds none free looks from time to time

using storage::query;

class server_hint final : public wake_hint {
public:
    using opener = std::function<std::unique_ptr<storage::database>(std::size_t)>;

    explicit server_hint(opener open) : open_(std::move(open)) {}

    awaitable<void> raise(std::string name) override { return say("GET_LOCK(", std::move(name), ", 0)"); }
    awaitable<void> lower(std::string name) override { return say("RELEASE_LOCK(", std::move(name), ")"); }

    awaitable<bool> wait(std::string name) override
    {
        if (blocked_ == most_blocked)
            co_return false;
        if (!waiting_)
            waiting_ = open_(most_blocked);
        struct place {
            std::size_t& count;
            explicit place(std::size_t& of) : count(of) { ++count; }
            ~place() { --count; }
            place(place const&) = delete;
            place& operator=(place const&) = delete;
        } const taken(blocked_);
        auto const work = [&](soci::session& sql) {
            ask(sql, "GET_LOCK(", name, ", 1)");
            ask(sql, "RELEASE_LOCK(", name, ")");
        };
        try {
            co_await waiting_->run(work);
            co_return true;
        } catch (unavailable const& failure) {
            log::debug("locks: no hint: {}", failure.what());
        }
        co_return false;
    }

private:
    // Its name has 64 characters at most. Named locks are the server's, not the database's.
    static void ask(soci::session& sql, char const* function, std::string const& name, char const* end)
    {
        query(sql)
            .column(storage::fragment{function})("CONCAT('baton:l:', SHA1(CONCAT(DATABASE(), '/', ", name, ")))",
                                                 storage::fragment{end})
            .each([](storage::row& cells) { cells.maybe_number(); });
    }

    awaitable<void> say(char const* function, std::string name, char const* end)
    {
        if (!holding_)
            holding_ = open_(1);
        auto const work = [&](soci::session& sql) { ask(sql, function, name, end); };
        try {
            co_await holding_->run(work);
        } catch (unavailable const& failure) {
            log::debug("locks: no hint: {}", failure.what());
        }
    }

    opener open_;
    std::unique_ptr<storage::database> holding_; // of one session, which holds them all
    std::unique_ptr<storage::database> waiting_;
    std::size_t blocked_ = 0;
};

} // namespace

std::unique_ptr<wake_hint> make_wake_hint(std::function<std::unique_ptr<storage::database>(std::size_t)> open)
{
    return std::make_unique<server_hint>(std::move(open));
}

} // namespace baton::lock
