#include "libs/storage/terms.hpp"

#include "libs/storage/rows.hpp"

#include <algorithm>

namespace baton::storage {

namespace {

constexpr std::size_t longest_node_name = 100;

bool is_there(soci::session& sql, fence const& mine)
{
    bool found = false;
    statement(sql)
        .select("COUNT(*)")(" FROM term WHERE namespace = ", mine.name_space, " AND epoch = ", mine.epoch)
        .each([&](row& answer) { found = answer.flag(); });
    return found;
}

struct open_term {
    std::int64_t epoch = 0;
    utc_time began_at;
    std::optional<utc_time> heard; // the last heartbeat of its node
};

std::vector<open_term> open_before(soci::session& sql, fence const& mine)
{
    std::vector<open_term> found;
    statement ask(sql);
    ask.select("t.epoch", "t.began_at", "n.heartbeat_at");
    ask(" FROM term t LEFT JOIN node n ON n.incarnation = t.owner WHERE t.namespace = ", mine.name_space,
        " AND t.epoch < ", mine.epoch, " AND t.ended_at IS NULL");
    ask.each([&](row& cells) {
        auto& term = found.emplace_back();
        term.epoch = cells.number();
        term.began_at = cells.moment();
        term.heard = cells.maybe_moment();
    });
    return found;
}

// The successor knows only how the term right before its own ended. If that term left no row, the one closed here ended
// earlier, for an unknown reason.
void close_older(soci::session& sql, fence const& mine, new_term const& what)
{
    for (auto const& term : open_before(sql, mine)) {
        bool const right_before = term.epoch + 1 == mine.epoch;
        auto at = what.led_until.value_or(what.began_at);
        if (term.heard && !(right_before && what.led_until))
            at = std::min(at, *term.heard);
        auto const why = right_before ? what.predecessor : "unknown: the term after it left no word either";
        statement(sql, "UPDATE term SET ended_at = ", std::max(at, term.began_at),
                  ", why_ended = ", fitting(why, longest_reason), " WHERE namespace = ", mine.name_space,
                  " AND epoch = ", term.epoch, " AND ended_at IS NULL")
            .execute();
    }
}

// Counted from the end of the last known term. None if there was no term: a free row without history dates from its
// creation only.
std::optional<duration> gap_before(soci::session& sql, fence const& mine, new_term const& what)
{
    bool first = true;
    auto ended = what.led_until;
    statement ask(sql);
    ask.select("ended_at");
    ask(" FROM term WHERE namespace = ", mine.name_space, " AND epoch < ", mine.epoch, " ORDER BY epoch DESC LIMIT 1");
    ask.each([&](row& before) {
        first = false;
        ended = before.maybe_moment();
    });
    if (!ended || (first && what.how == "free"))
        return std::nullopt;
    return std::max(what.acting_at - *ended, duration{});
}

void insert(soci::session& sql, fence const& mine, new_term const& what, std::optional<duration> gap)
{
    statement(sql,
              "INSERT INTO term (namespace, epoch, owner, node, how, began_at, acting_at, gap_us, replayed) VALUES (",
              mine.name_space, ", ", mine.epoch, ", ", what.owner, ", ", fitting(what.node, longest_node_name), ", ",
              what.how, ", ", what.began_at, ", ", what.acting_at, ", ", gap, ", ", what.replayed, ")")
        .execute();
}

} // namespace

awaitable<void> terms::begin(fence mine, new_term const& what)
{
    auto const work = [&](soci::session& sql) {
        touch_fence(sql, mine);
        if (is_there(sql, mine)) // the answer to an earlier call was lost
            return;
        close_older(sql, mine, what);
        insert(sql, mine, what, gap_before(sql, mine, what));
    };
    co_await deciding_.transact(work);
}

awaitable<void> terms::end(fence mine, utc_time at, std::string why)
{
    auto const work = [&](soci::session& sql) {
        statement(sql, "UPDATE term SET ended_at = CASE WHEN began_at > ", at, " THEN began_at ELSE ", at,
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
        statement ask(sql);
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
