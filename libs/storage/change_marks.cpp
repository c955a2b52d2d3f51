#include "libs/storage/change_marks.hpp"

#include "libs/storage/statement.hpp"
#include "libs/storage/topic_versions.hpp"

namespace baton::storage {

namespace {

constexpr int most_open = 500;
constexpr int most_counted = 1'000;

// All cells of an answer with `columns` columns, one behind the other.
std::string cells_of(statement& ask)
{
    std::string all;
    ask.each([&](row& cells) {
        while (!cells.complete())
            all.append(cells.maybe_text().value_or("-")).append(" ");
    });
    return all;
}

std::string executions_mark(soci::session& sql, protocol::namespace_id id)
{
    statement newest(sql);
    newest.select("MAX(id)")(" FROM execution");
    auto const begun = cells_of(newest);
    statement open(sql);
    open.select("id", "state", "attempt", "progress")(" FROM execution", by_index{"execution_open"},
                                                      " WHERE namespace = ", id, " AND due_at IS NOT NULL");
    open(" ORDER BY due_at LIMIT ", most_open);
    return begun + cells_of(open);
}

std::string dead_letters_mark(soci::session& sql, protocol::namespace_id id)
{
    statement ask(sql);
    ask.select("COUNT(*)", "MAX(d.died_at)")(" FROM (SELECT died_at FROM dead_letter WHERE namespace = ", id,
                                             " AND resolution = 'open' ORDER BY died_at DESC LIMIT ", most_counted,
                                             ") d");
    return cells_of(ask);
}

std::string clients_mark(soci::session& sql)
{
    statement ask(sql);
    ask.select("MAX(changed_at)")(" FROM client");
    return cells_of(ask);
}

// A node that writes its row changes nothing; one whose row is older than its ttl, by the newest of the rows, is gone.
std::string nodes_mark(soci::session& sql)
{
    statement ask(sql);
    ask.select("n.incarnation", "n.role", "n.version", "n.draining", "n.clients",
               "CASE WHEN n.heartbeat_at + n.ttl_us < m.newest THEN 1 ELSE 0 END");
    ask(" FROM node n JOIN (SELECT MAX(heartbeat_at) AS newest FROM node) m ON 1 = 1 ORDER BY n.incarnation LIMIT ",
        most_counted);
    return cells_of(ask);
}

std::string terms_mark(soci::session& sql, std::string const& name_space)
{
    statement ask(sql);
    ask.select("epoch", "ended_at")(" FROM term WHERE namespace = ", name_space, " ORDER BY epoch DESC LIMIT 1");
    return cells_of(ask);
}

std::string calendars_mark(soci::session& sql, protocol::namespace_id id)
{
    statement ask(sql);
    ask.select("COUNT(*)", "MAX(c.updated_at)")(" FROM (SELECT updated_at FROM named_calendar WHERE namespace = ", id,
                                                " ORDER BY updated_at DESC LIMIT ", most_counted, ") c");
    return cells_of(ask);
}

std::string zones_mark(soci::session& sql, protocol::namespace_id id)
{
    statement ask(sql);
    ask.select("MAX(version)")(" FROM zone_version WHERE namespace = ", id);
    return cells_of(ask);
}

} // namespace

awaitable<marks> change_marks::read()
{
    auto const work = [&](soci::session& sql) {
        marks seen;
        auto const of = [&seen](topic which) -> std::string& { return seen[static_cast<std::size_t>(which)]; };
        of(topic::executions) = executions_mark(sql, id_);
        of(topic::dead_letters) = dead_letters_mark(sql, id_);
        of(topic::clients) = clients_mark(sql);
        of(topic::nodes) = nodes_mark(sql);
        of(topic::terms) = terms_mark(sql, name_space_);
        of(topic::calendars) = calendars_mark(sql, id_);
        of(topic::zones) = zones_mark(sql, id_);
        add_versions_of_topics(sql, id_, seen);
        return seen;
    };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
