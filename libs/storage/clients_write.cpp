#include "libs/storage/client_lock.hpp"
#include "libs/storage/statement.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace baton::storage {

namespace {

constexpr int most_insert_tries = 5;

std::string as_text(std::vector<std::string> const& handlers)
{
    try {
        return nlohmann::json(handlers).dump();
    } catch (nlohmann::json::type_error const&) {
        throw invalid_input("handlers", "a handler's name is not valid UTF-8");
    }
}

// Locks the rows in order of instance, so that two groups cannot deadlock.
std::map<std::string, client_standing> lock_standings(soci::session& sql, std::vector<client_write> const& group)
{
    std::set<std::string> sorted;
    for (auto const& one : group)
        sorted.insert(one.row.instance);
    std::vector<std::string> const instances(sorted.begin(), sorted.end());
    std::map<std::string, client_standing> found;
    for (auto const chunk : chunks(sql, instances, 1)) {
        statement ask(sql);
        ask.select("instance", "state", "secret", "node", "generation",
                   "drained_at")(" FROM client WHERE instance IN ");
        ask.in(chunk)(" ORDER BY instance", for_update(sql));
        ask.each([&](row& cells) {
            auto& one = found[cells.text()];
            one.known = true;
            one.gone = cells.text() == to_string(client_state::gone);
            one.secret = cells.text();
            one.node = cells.text();
            one.generation = cells.number();
            one.drained = cells.maybe_moment().has_value();
        });
    }
    return found;
}

// The writes that remain for a group: the last put of each client, and the clients that are gone.
struct decided {
    std::map<std::string, client_record const*> added; // there was no row
    std::map<std::string, client_record const*> changed;
    std::set<std::string> gone;
};

void note(decided& all, client_standing& before, client_write const& one)
{
    auto const& row = one.row;
    if (one.what != client_write::kind::put) {
        before.gone = true;
        all.gone.insert(row.instance);
        return;
    }
    bool const fresh = !before.known || all.added.contains(row.instance);
    (fresh ? all.added : all.changed)[row.instance] = &row;
    before = {true, false, row.secret, row.node, row.generation, before.drained};
}

void put_rows(soci::session& sql, std::map<std::string, client_record const*> const& rows, bool replace)
{
    std::vector<client_record const*> all;
    all.reserve(rows.size());
    for (auto const& [instance, row] : rows)
        all.push_back(row);
    auto const text_of = [](client_record const* row) { return as_text(row->handlers).size(); };
    for (auto const chunk : chunks(sql, all, 11, text_of)) {
        statement insert(sql,
                         "INSERT INTO client (instance, project, service, address, secret, handlers, slots, queue, "
                         "version, generation, node, state, text_ids, schema_set, joined_at, changed_at) VALUES ");
        for (auto const* row : chunk) {
            insert(fragment{row == chunk.front() ? "(" : ", ("}, row->instance, ", ", row->project, ", ", row->service,
                   ", ", row->address, ", ", row->secret, ", ", as_text(row->handlers), ", ", row->slots, ", ",
                   row->queue, ", ", row->version, ", ", row->generation, ", ", row->node, ", ", to_string(row->state),
                   ", ", row->text_ids ? 1 : 0, ", ",
                   row->schema_set.empty() ? std::nullopt : std::optional(row->schema_set), ", ");
            if (row->joined_at == utc_time{})
                insert(now_us(sql));
            else
                insert(row->joined_at);
            insert(", ", now_us(sql), ")");
        }
        if (replace)
            insert.on_taken("instance",
                            {"project", "service", "address", "secret", "handlers", "slots", "queue", "version",
                             "generation", "node", "state", "text_ids", "schema_set", "changed_at"});
        insert.execute();
    }
}

} // namespace

client_written judge(client_standing const& before, client_write const& wanted)
{
    auto const& row = wanted.row;
    client_written answer;
    if (!before.known) {
        answer.kept = wanted.what == client_write::kind::put;
        return answer;
    }
    if (before.gone)
        return answer;
    switch (wanted.what) {
    case client_write::kind::put:
        if (before.secret != row.secret)
            return answer;
        answer.overtaken =
            before.generation > row.generation || (before.generation == row.generation && before.node != row.node);
        answer.kept = !answer.overtaken;
        break;
    case client_write::kind::leave:
        answer.kept = before.generation <= row.generation && (row.secret.empty() || row.secret == before.secret);
        break;
    case client_write::kind::bury:
        answer.kept = before.generation == row.generation && before.node == row.node;
        break;
    }
    answer.node_before = before.node;
    answer.drained = before.drained;
    return answer;
}

void mark_gone(soci::session& sql, std::vector<std::string> const& instances)
{
    for (auto const chunk : chunks(sql, instances, 1)) {
        statement bury(sql, "UPDATE client SET state = 'gone', changed_at = ", now_us(sql), " WHERE instance IN ");
        bury.in(chunk).execute();
    }
}

// A row that was not there cannot be locked, so another node may insert it meanwhile. A new row is therefore only
// inserted; if it is taken, the transaction runs again and finds it.
awaitable<std::vector<client_written>> clients::write(std::vector<client_write> const& group)
{
    std::vector<client_written> answers;
    auto const work = [&](soci::session& sql) {
        answers.clear();
        auto standings = lock_standings(sql, group);
        decided all;
        for (auto const& one : group) {
            auto& before = standings[one.row.instance];
            answers.push_back(judge(before, one));
            if (answers.back().kept)
                note(all, before, one);
        }
        put_rows(sql, all.added, false);
        put_rows(sql, all.changed, true);
        mark_gone(sql, {all.gone.begin(), all.gone.end()});
    };
    for (int tries = 1; tries <= most_insert_tries; ++tries) {
        try {
            co_await shared_.transact(work);
            co_return answers;
        } catch (already_exists const&) {
            continue;
        }
    }
    throw unavailable("database: other nodes register the same clients again and again");
}

awaitable<client_written> clients::put(client_record const& client)
{
    std::vector<client_write> group(1);
    group.front().row = client;
    auto const answers = co_await write(group);
    co_return answers.front();
}

} // namespace baton::storage
