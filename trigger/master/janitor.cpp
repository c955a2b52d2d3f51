#include "trigger/master/janitor.hpp"

#include "libs/base/error.hpp"
#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"
#include "libs/storage/dialect.hpp"

#include <algorithm>

namespace baton::trigger {

namespace {

constexpr duration settle = 10s; // at the beginning a term has more urgent work
constexpr duration idle = 60s;   // if there is nothing to delete, or the database failed
constexpr duration whole_again = 1h;
constexpr std::size_t fewest = 50; // fewer would not be quicker: a commit costs the same

// Without row locks a deletion holds up every other writer.
duration longest_piece(storage::dialect const& on)
{
    return on.locks_rows() ? 100ms : 20ms;
}

} // namespace

std::size_t next_size(std::size_t present, duration took, duration longest, std::size_t most)
{
    if (took > longest)
        return std::min(std::max(present / 2, fewest), most);
    return took < longest / 2 ? std::min(present * 2, most) : present;
}

janitor::janitor(retention_settings settings, term& term, storage::database& shared)
    : settings_(settings),
      term_(term),
      table_(shared),
      longest_(longest_piece(shared.dialect())),
      rows_(std::min(fewest, settings.piece))
{}

awaitable<void> janitor::run()
{
    co_await term_.time.sleep_for(settle);
    for (;;) {
        auto pause = idle;
        try {
            co_await term_.until_active(transaction_need);
            auto const began = term_.time.now();
            bool const more = co_await piece();
            auto const took = term_.time.now() - began;
            rows_ = next_size(rows_, took, longest_, settings_.piece);
            if (more)
                pause = rest_after(took, settings_.share);
        } catch (unavailable const& reason) {
            log::outage(reason, "retention", "deleting old rows failed, trying again in 60 s",
                        {log::reason(reason.what())});
        }
        co_await term_.time.sleep_for(pause);
    }
}

awaitable<bool> janitor::piece()
{
    bool executions_left = false;
    if (settings_.keep > 0s) {
        executions_left = co_await executions();
        auto const limit = term_.clock.now() - settings_.keep;
        if (!executions_left)
            executions_left = co_await table_.skipped(limit, rows_);
        if (!executions_left)
            executions_left = co_await table_.calendar_versions(limit, rows_);
        if (!executions_left)
            executions_left = co_await table_.pauses(limit, rows_);
    }
    if (term_.time.now() >= versions_at_) {
        versions_at_ = term_.time.now() + whole_again;
        co_await table_.topic_versions();
    }
    bool const keys_left = co_await table_.keys(rows_);
    bool const limits_left = !executions_left && co_await table_.limit_states(rows_);
    bool const terms_left = co_await table_.terms(term_.fence.name_space, rows_);
    co_return executions_left || keys_left || limits_left || terms_left;
}

awaitable<bool> janitor::executions()
{
    auto const limit = term_.clock.now() - settings_.keep;
    if (term_.time.now() >= whole_at_) {
        whole_at_ = term_.time.now() + whole_again;
        from_ = {};
    }
    auto const done = co_await table_.executions(limit, from_, rows_);
    from_ = done.last;
    deleted_ += done.deleted;
    if (!done.more && deleted_ != 0) {
        log::info("retention", "deleted old executions",
                  {{"executions", deleted_}, {"ended_before", to_rfc3339(limit)}});
        deleted_ = 0;
    }
    co_return done.more;
}

} // namespace baton::trigger
