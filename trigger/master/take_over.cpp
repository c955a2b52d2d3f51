#include "trigger/master/take_over.hpp"

#include "libs/base/log.hpp"
#include "libs/base/outage.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace baton::trigger {

using namespace asio::experimental::awaitable_operators;

namespace {
constexpr int rows_of_a_page = 2'000;
constexpr int rows_of_a_step = 100;     // their definitions are parsed
constexpr duration begin_again = 20ms;  // after a page that the database did not give
constexpr duration recent = 10s;        // longer than an election takes, usually
constexpr duration clocks_apart = 10ms; // usual limit of the error of the last master's cluster clock
}

take_over::take_over(term_scope const& scope, execution_loader& loader, fire_mark const& mark, watermark const& out)
    : scope_(scope), loader_(loader), mark_(mark), out_(out), bell_(scope.loop)
{}

void take_over::begin()
{
    sent_until_ = scope_.term.clock.now() + clocks_apart + scope_.term.clock.error();
    // The last master's clock may have been ahead of this node's by more: the database's clock may have stepped back
    // since, and this node may have started after the step. The last master's mark tells then.
    if (!scope_.term.clock.steady())
        sent_until_ = std::max(sent_until_, mark_.limit());
    // A scan from the beginning of the index meets an entry for each execution that ended since the oldest read view
    // began, such as that of a dump, because MySQL purges none of them. So what was due lately and what is to come is
    // loaded first: the firings of the next seconds do not wait for the rest.
    auto const lately = std::min(sent_until_, scope_.term.clock.now()) - recent;
    left_ = {{{lately, {}}, utc_time::max()}, {{}, lately - 1us}};
    loader_.begin_take_over([this](auto const& row) { return maybe_sent(row); });
}

// The last master's term had ended when this one began, and with it what it could send.
bool take_over::maybe_sent(storage::open_execution_row const& row) const
{
    if (row.out || row.runs())
        return true;
    bool const made_in_this_term = row.attempt == 1 && row.epoch >= scope_.term.epoch();
    if (row.due_at <= out_.of_former_terms() || made_in_this_term)
        return false;
    if (row.due_at <= sent_until_)
        return true;
    bool const further = row.attempt > 1 && row.due_at <= mark_.limit(); // its pause may end while the clock stands
    return !past_due_loaded_ && (row.at_once() || further);
}

awaitable<void> take_over::run()
{
    auto const began = scope_.term.time.now();
    for (bool done = false; !done;) {
        try {
            co_await load_all();
            co_await load_stale();
            done = true;
        } catch (unavailable const& reason) {
            log::outage(reason, "term", "loading the open executions failed, trying again in 20 ms",
                        {log::reason(reason.what()), {"epoch", scope_.term.epoch()}});
        }
        if (!done)
            co_await scope_.term.time.sleep_for(begin_again);
    }
    past_due_are_loaded();
    log::info("term", "took over the open executions",
              {{"epoch", scope_.term.epoch()},
               {"executions", loaded_},
               {"past_due", past_due_},
               {"ms", (scope_.term.time.now() - began) / 1ms}});
}

// Begins behind the last page that was loaded. Throws `unavailable`.
awaitable<void> take_over::load_all()
{
    while (!left_.empty()) {
        co_await load_range();
        left_.pop_front();
    }
}

awaitable<void> take_over::load_range()
{
    page present;
    co_await read(left_.front().from, present);
    for (;;) {
        if (present.failure)
            throw unavailable(*present.failure);
        page next;
        bool const more = present.rows.size() == rows_of_a_page;
        if (more) {
            storage::open_cursor const behind{present.rows.back().due_at, present.rows.back().id};
            co_await (read(behind, next) && load(present));
            left_.front().from = behind;
        } else {
            co_await load(present);
        }
        for (auto const& row : present.rows)
            past_due_ += maybe_sent(row) ? 1 : 0;
        loaded_ += present.rows.size();
        if (!more)
            co_return;
        present = std::move(next);
    }
}

// An execution whose task was edited while it was read counts under limits, too, and must do so before others are
// admitted. Throws `unavailable`.
awaitable<void> take_over::load_stale()
{
    for (std::size_t looked_at = 0; looked_at < scope_.open.stale().size();) {
        auto const& stale = scope_.open.stale(); // grows at its end only, as the sweeper has not started yet
        std::vector<execution_id> const ids(stale.begin() + static_cast<std::ptrdiff_t>(looked_at), stale.end());
        looked_at = stale.size();
        page again;
        again.seen = std::make_unique<open_set::reading>(scope_.open);
        again.rows = co_await scope_.ledger.open_among(ids);
        co_await load(again);
    }
}

awaitable<void> take_over::read(storage::open_cursor after, page& into)
{
    into.seen = std::make_unique<open_set::reading>(scope_.open);
    try {
        into.rows = co_await scope_.ledger.open(left_.front().until, after, rows_of_a_page);
    } catch (unavailable const& reason) { // thrown later, since && would cancel the loading
        into.failure = reason.what();
    }
}

awaitable<void> take_over::load(page const& some)
{
    int in_this_step = 0;
    for (auto const& row : some.rows) {
        loader_.load(row, *some.seen);
        if (++in_this_step < rows_of_a_step)
            continue;
        in_this_step = 0;
        co_await asio::post(asio::use_awaitable);
    }
}

void take_over::past_due_are_loaded()
{
    past_due_loaded_ = true;
    bell_.wake();
}

awaitable<int> take_over::past_due()
{
    while (!past_due_loaded_)
        co_await bell_.wait();
    co_return past_due_;
}

} // namespace baton::trigger
