#include "libs/storage/terms.hpp"

#include "libs/storage/rows.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

constexpr std::int64_t kept = 1'000;
constexpr int forgotten_at_once = 100;
constexpr std::size_t longest_node_name = 100;

bool is_there(soci::session& sql, fence const& mine)
{
    bool found = false;
    query(sql)
        .select("COUNT(*)")(" FROM term WHERE namespace = ", mine.name_space, " AND epoch = ", mine.epoch)
        .each([&](row& answer) { found = answer.flag(); });
    return found;
}

// A predecessor that told of its own end lived longer than its last renewal. None where nobody had led: where a free
// row has no history, what is known of it is its creation.
std::optional<utc_time> last_sign_of_life(soci::session& sql, fence const& mine, new_term const& what)
{
    bool first = true;
    auto last = what.led_until;
    query ask(sql);
    ask.select("ended_at");
    ask(" FROM term WHERE namespace = ", mine.name_space, " AND epoch < ", mine.epoch, " ORDER BY epoch DESC LIMIT 1");
    ask.each([&](row& before) {
        first = false;
        if (auto const ended = before.maybe_moment(); ended && (!last || *ended > *last))
            last = ended;
    });
    return first && what.how == "free" ? std::nullopt : last;
}

void close_older(soci::session& sql, fence const& mine, new_term const& what)
{
    auto const at = what.led_until.value_or(what.began_at);
    query(sql, "UPDATE term SET ended_at = CASE WHEN began_at > ", at, " THEN began_at ELSE ", at,
          " END, why_ended = ", fitting(what.predecessor, longest_reason), " WHERE namespace = ", mine.name_space,
          " AND epoch < ", mine.epoch, " AND ended_at IS NULL")
        .execute();
}

void insert(soci::session& sql, fence const& mine, new_term const& what, std::optional<duration> gap)
{
    query(sql, "INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, gap_us, replayed) VALUES (",
          mine.name_space, ", ", mine.epoch, ", ", what.owner, ", ", fitting(what.node, longest_node_name), ", ",
          what.how, ", ", what.began_at, ", ", what.acting_at, ", ", gap, ", ", what.replayed, ")")
        .execute();
}

void forget_oldest(soci::session& sql, fence const& mine)
{
    std::int64_t last = 0;
    query ask(sql);
    ask.select("epoch");
    ask(" FROM term WHERE namespace = ", mine.name_space, " AND epoch <= ", mine.epoch - kept, " ORDER BY epoch LIMIT ",
        forgotten_at_once);
    ask.each([&](row& old) { last = old.number(); });
    if (last != 0)
        query(sql, "DELETE FROM term WHERE namespace = ", mine.name_space, " AND epoch <= ", last).execute();
}

} // namespace

awaitable<void> terms::begin(fence mine, new_term const& what)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        if (is_there(sql, mine)) // the answer to an earlier call was lost
            return;
        std::optional<duration> gap;
        if (auto const alive = last_sign_of_life(sql, mine, what))
            gap = std::max(what.acting_at - *alive, duration{});
        close_older(sql, mine, what);
        insert(sql, mine, what, gap);
        forget_oldest(sql, mine);
    };
    co_await deciding_.transact(work);
}

awaitable<void> terms::end(fence mine, utc_time at, std::string why)
{
    auto const work = [&](soci::session& sql) {
        query(sql, "UPDATE term SET ended_at = CASE WHEN began_at > ", at, " THEN began_at ELSE ", at,
              " END, why_ended = ", fitting(why, longest_reason), " WHERE namespace = ", mine.name_space,
              " AND epoch = ", mine.epoch, " AND ended_at IS NULL")
            .execute();
    };
    co_await shared_.run(work);
}

awaitable<std::vector<term_record>> terms::list(std::string name_space, std::optional<std::int64_t> before, int limit)
{
    std::vector<term_record> found;
    auto const work = [&](soci::session& sql) {
        found.clear();
        query ask(sql);
        ask.select("epoch", "owner", "node", "how", "began_at", "acting_at", "gap_us", "ended_at", "why_ended",
                   "replayed");
        ask(" FROM term WHERE namespace = ", name_space);
        if (before)
            ask(" AND epoch < ", *before);
        ask(" ORDER BY epoch DESC LIMIT ", limit);
        ask.each([&](row& cells) {
            auto& term = found.emplace_back();
            term.epoch = cells.number();
            term.owner = cells.text();
            term.node = cells.text();
            term.how = cells.text();
            term.began_at = cells.moment();
            term.acting_at = cells.moment();
            if (auto const gap = cells.maybe_number())
                term.gap = duration{*gap};
            term.ended_at = cells.maybe_moment();
            term.why_ended = cells.maybe_text();
            term.replayed = cells.small();
        });
    };
    co_await shared_.run(work);
    co_return found;
}

} // namespace baton::storage
