#include "libs/storage/dead_letters.hpp"
#include "libs/storage/execution_row.hpp"
#include "libs/storage/places.hpp"
#include "libs/storage/search_conditions.hpp"

#include <map>

namespace baton::storage {

namespace {

constexpr int most_letters_counted = 100'000;
constexpr place_columns letter_place{{"d.died_at"}, {"d.execution_id"}};

// Without an index the database begins with the few shards of a broadcast.
std::optional<by_index> index_of(dead_letter_filter const& filter)
{
    if (filter.broadcast)
        return std::nullopt;
    if (filter.task)
        return by_index{"dead_letter_of_task"};
    return filter.project ? by_index{"dead_letter_of_project"} : by_index{"dead_letter_time"};
}

// The conditions that the index covers, or that the few shards of a broadcast meet.
void keep_letters(statement& ask, soci::session& sql, protocol::namespace_id name_space,
                  dead_letter_filter const& filter)
{
    ask("d.namespace = ", name_space, " AND d.resolution = ", protocol::to_string(filter.resolution));
    if (filter.task)
        ask(" AND d.task_id = ", *filter.task);
    if (filter.project)
        ask(" AND d.project = ", *filter.project);
    if (filter.broadcast)
        ask(" AND d.execution_id IN (SELECT id FROM execution WHERE parent_id = ", *filter.broadcast, ")");
    if (filter.after_at)
        keep_places(ask, dialect_of(sql), letter_place, relation::before, {*filter.after_at, filter.after_id});
}

constexpr fragment newest_first{" ORDER BY d.died_at DESC, d.execution_id DESC LIMIT "};

// The last letter that a search by service or error may look at; nothing if there are fewer.
std::optional<execution_place> end_of_look(soci::session& sql, protocol::namespace_id name_space,
                                           dead_letter_filter const& filter)
{
    std::optional<execution_place> end;
    if (!filter.service && !filter.error)
        return end;
    statement ask(sql);
    ask.select("d.died_at", "d.execution_id")(" FROM dead_letter d");
    if (auto const index = index_of(filter))
        ask(*index);
    ask(" WHERE ");
    keep_letters(ask, sql, name_space, filter);
    ask(newest_first, "1 OFFSET ", filter.look - 1);
    ask.each([&](row& cells) {
        end.emplace();
        end->at = cells.moment();
        end->id = cells.name<execution_id>();
    });
    return end;
}

void join_for_search(statement& ask, soci::session& sql, protocol::namespace_id name_space,
                     dead_letter_filter const& filter)
{
    if (filter.service)
        join_service(ask, sql, name_space, {"d.task_id"}, *filter.service);
    if (filter.error)
        ask(" ", dialect_of(sql).join_in_order(), " failure f ON f.execution_id = d.execution_id");
}

void keep_found(statement& ask, soci::session& sql, protocol::namespace_id name_space, dead_letter_filter const& filter,
                std::optional<execution_place> const& end)
{
    ask(" FROM dead_letter d");
    if (auto const index = index_of(filter))
        ask(*index);
    join_for_search(ask, sql, name_space, filter);
    ask(" WHERE ");
    keep_letters(ask, sql, name_space, filter);
    if (end)
        keep_places(ask, dialect_of(sql), letter_place, relation::from, *end);
    if (filter.error)
        either_contains(ask, {"f.error"}, {"f.first_error"}, *filter.error);
}

dead_letter_page read_letters(soci::session& sql, protocol::namespace_id name_space, dead_letter_filter const& filter)
{
    dead_letter_page page;
    auto& letters = page.items;
    std::vector<execution_id> ids;
    auto const end = end_of_look(sql, name_space, filter);
    statement ask(sql);
    ask.select("d.execution_id", "d.died_at", "d.resolution", "d.resolved_at", "d.rerun");
    keep_found(ask, sql, name_space, filter, end);
    ask(newest_first, filter.limit);
    ask.each([&](row& cells) {
        auto& letter = letters.emplace_back();
        ids.push_back(cells.name<execution_id>());
        letter.execution.id = ids.back();
        letter.died_at = cells.moment();
        letter.resolution = protocol::parse<protocol::resolution>(cells.text(), "resolution");
        letter.resolved_at = cells.maybe_moment();
        if (auto const rerun = cells.maybe_number())
            letter.rerun = execution_id{*rerun};
    });
    if (letters.size() < static_cast<std::size_t>(filter.limit))
        page.looked_to = end;
    std::map<execution_id, execution_record> executions;
    for (auto& one : read_executions(sql, ids))
        executions[one.id] = std::move(one);
    std::erase_if(letters, [&](auto const& letter) { return !executions.contains(letter.execution.id); });
    for (auto& letter : letters)
        letter.execution = std::move(executions.at(letter.execution.id));
    return page;
}

found_letters find_letters(soci::session& sql, protocol::namespace_id name_space, dead_letter_filter const& filter)
{
    found_letters found;
    auto const end = end_of_look(sql, name_space, filter);
    auto const limit = static_cast<std::size_t>(filter.limit);
    execution_place last;
    bool more = false;
    statement ask(sql);
    ask.select("d.died_at", "d.execution_id");
    keep_found(ask, sql, name_space, filter, end);
    ask(newest_first, limit + 1);
    ask.each([&](row& cells) {
        execution_place one;
        one.at = cells.moment();
        one.id = cells.name<execution_id>();
        more = found.executions.size() == limit;
        if (more)
            return;
        last = one;
        found.executions.push_back(one.id);
    });
    found.next = more ? std::optional(last) : end;
    return found;
}

bounded_count count_letters(soci::session& sql, protocol::namespace_id name_space, dead_letter_filter const& filter)
{
    bounded_count found;
    auto const end = end_of_look(sql, name_space, filter);
    statement ask(sql);
    ask.select("COUNT(*)")(" FROM (SELECT d.execution_id");
    keep_found(ask, sql, name_space, filter, end);
    ask(" LIMIT ", most_letters_counted, ") c");
    ask.each([&](row& cells) { found.count = cells.number(); });
    found.more = end.has_value() || found.count == most_letters_counted;
    return found;
}

} // namespace

awaitable<found_letters> dead_letters::find(dead_letter_filter filter)
{
    auto const work = [&](soci::session& sql) { return find_letters(sql, name_space_, filter); };
    co_return co_await shared_.run(work);
}

awaitable<bounded_count> dead_letters::count(dead_letter_filter filter)
{
    auto const work = [&](soci::session& sql) { return count_letters(sql, name_space_, filter); };
    co_return co_await shared_.run(work);
}

awaitable<dead_letter_page> dead_letters::list(dead_letter_filter filter)
{
    auto const work = [&](soci::session& sql) { return read_letters(sql, name_space_, filter); };
    co_return co_await shared_.run(work);
}

} // namespace baton::storage
