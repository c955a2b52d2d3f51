#include "libs/storage/rows.hpp"

#include "libs/storage/topic_versions.hpp"

#include <soci/soci.h>

#include <algorithm>

namespace baton::storage {

batch_update::batch_update(soci::session& sql, fragment target, std::initializer_list<char const*> columns,
                           fragment key)
    : form_(dialect_of(sql).batch_form()), target_(target), key_(key), statement_(sql)
{
    for (auto const* name : columns)
        columns_.push_back({std::string("v.v_") + name, !columns_.empty()});
}

void batch_update::put(operand value)
{
    auto const place = cells_.size() % columns_.size();
    cells_.push_back(std::move(value));
    columns_[place].shared = columns_[place].shared && cells_.back() == cells_[place];
}

operand batch_update::operator[](std::string_view name) const
{
    auto const found =
        std::find_if(columns_.begin(), columns_.end(), [&](auto const& each) { return each.name.substr(4) == name; });
    return found->shared ? cells_[static_cast<std::size_t>(found - columns_.begin())] : fragment{found->name.c_str()};
}

void batch_update::begin_set()
{
    if (form_ == batch_form::from_values) {
        statement_("WITH v(");
        name_columns();
        statement_(") AS (VALUES ");
        add_rows();
        statement_(") UPDATE ", target_, " AS e SET ");
    } else {
        statement_("UPDATE (");
        add_rows();
        statement_(") v STRAIGHT_JOIN ", target_, " e ON e.", key_, " = v.v_id SET ");
    }
}

void batch_update::name_columns()
{
    char const* between = "";
    for (auto const& each : columns_)
        if (!each.shared) {
            statement_(fragment{between}, fragment{each.name.c_str() + 2});
            between = ", ";
        }
}

// To be joined, the first row is a SELECT, which names the columns. The others are VALUES where UNION ALL takes them,
// which costs three quarters of the time that a SELECT for each row takes.
void batch_update::add_rows()
{
    auto const width = columns_.size();
    if (form_ == batch_form::from_values)
        return list_rows(0);
    statement_("SELECT ");
    add_row(0, true);
    if (form_ == batch_form::join_values && cells_.size() > width) {
        statement_(" UNION ALL VALUES ");
        return list_rows(width);
    }
    for (auto at = width; at < cells_.size(); at += width) {
        statement_(" UNION ALL SELECT ");
        add_row(at, false);
    }
}

void batch_update::list_rows(std::size_t from)
{
    for (auto at = from; at < cells_.size(); at += columns_.size()) {
        statement_(fragment{at == from ? "(" : ", ("});
        add_row(at, false);
        statement_(")");
    }
}

void batch_update::add_row(std::size_t at, bool named)
{
    char const* between = "";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].shared)
            continue;
        statement_(fragment{between}, cells_[at + i]);
        between = ", ";
        if (named)
            statement_(" AS ", fragment{columns_[i].name.c_str() + 2});
    }
}

void batch_update::begin_where()
{
    if (form_ == batch_form::from_values)
        statement_(" FROM v WHERE e.", key_, " = v.v_id AND ");
    else
        statement_(" WHERE ");
}

void touch_fence(soci::session& sql, fence const& mine)
{
    statement touch(sql, "UPDATE lock_fence SET touched = touched + 1 WHERE namespace = ", mine.name_space,
                    " AND epoch = ", mine.epoch);
    if (touch.execute() != 1)
        throw not_master("the fence of '" + mine.name_space + "' does not carry epoch " + std::to_string(mine.epoch));
}

duration read_edit_lead(soci::session& sql)
{
    duration lead{};
    statement(sql).select("COALESCE(MAX(edit_lead_us), 0)")(" FROM lock_fence").each([&](row& cells) {
        lead = duration{cells.number()};
    });
    return lead;
}

utc_time read_fired_until(soci::session& sql)
{
    utc_time until{};
    statement(sql).select("COALESCE(MAX(fired_until), 0)")(" FROM lock_fence").each([&](row& cells) {
        until = cells.moment();
    });
    return until;
}

std::int64_t read_epoch(soci::session& sql)
{
    std::int64_t epoch = 0;
    statement(sql).select("COALESCE(MIN(epoch), 0)")(" FROM lock_fence").each([&](row& cells) {
        epoch = cells.number();
    });
    return epoch;
}

new_execution make_execution(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                             utc_time scheduled_at)
{
    new_execution row;
    row.id = id;
    row.project = definition.project;
    row.task = task;
    row.version = version;
    row.scheduled_at = scheduled_at;
    row.max_attempts = definition.max_attempts;
    row.retry_delay = definition.retry_delay;
    return row;
}

new_execution make_firing(execution_id id, task_id task, int version, protocol::task_definition const& definition,
                          utc_time scheduled_at)
{
    auto row = make_execution(id, task, version, definition, scheduled_at);
    auto const due = protocol::due_instant(definition.schedule.firing, scheduled_at);
    if (due != scheduled_at)
        row.due_at = due;
    return row;
}

namespace {

void insert_chunk(soci::session& sql, protocol::term_id term, std::span<new_execution const> rows)
{
    statement insert(
        sql,
        "INSERT INTO execution (id, namespace, project, task_id, task_version, scheduled_at, run_key, cause, state, "
        "due_at, attempt, max_attempts, retry_delay_us, epoch, parent_id, shard_index, shard_total, "
        "shard_instance, payload, created_at) VALUES ");
    for (auto const& row : rows) {
        bool const firing = row.cause == protocol::cause::schedule;
        insert(fragment{&row == &rows.front() ? "(" : ", ("}, row.id, ", ", term.name_space, ", ", row.project, ", ",
               row.task, ", ", row.version, ", ", row.scheduled_at, ", ", firing ? execution_id{} : row.id, ", ",
               protocol::to_string(row.cause), ", 'planned', ", row.due_at.value_or(row.scheduled_at), ", 1, ",
               row.max_attempts, ", ", row.retry_delay, ", ", term.epoch);
        if (row.parent)
            insert(", ", *row.parent, ", ", row.shard_index, ", ", row.shard_total, ", ",
                   fitting_name(row.shard_instance, longest_name));
        else
            insert(", NULL, 0, 1, NULL");
        insert(", ", row.payload, ", ", now_us(sql), ")");
    }
    insert.execute();
}

} // namespace

void insert_executions(soci::session& sql, protocol::term_id term, std::vector<new_execution> const& rows)
{
    auto const text_of = [](new_execution const& row) { return row.payload ? row.payload->size() : 0; };
    for (auto const chunk : chunks(sql, rows, 17, text_of))
        insert_chunk(sql, term, chunk);
}

namespace {

// Pages are told of these changes. The row of a new run shows itself.
void raise_versions(soci::session& sql, protocol::namespace_id name_space, protocol::signal_kind what)
{
    switch (what) {
    case protocol::signal_kind::task:
        return raise_version(sql, name_space, topic::tasks);
    case protocol::signal_kind::cancel:
        return raise_version(sql, name_space, topic::executions);
    case protocol::signal_kind::pause:
    case protocol::signal_kind::settings:
        raise_version(sql, name_space, topic::services);
        return raise_version(sql, name_space, topic::projects);
    case protocol::signal_kind::run:
    case protocol::signal_kind::edit: // it announces a change that comes later
        return;
    }
}

} // namespace

void insert_signal(soci::session& sql, protocol::namespace_id name_space, signal_id id, protocol::signal_kind what,
                   std::int64_t subject)
{
    raise_versions(sql, name_space, what);
    statement(sql, "INSERT INTO `signal` (id, namespace, kind, subject, created_at) VALUES (", id, ", ", name_space,
              ", ", protocol::to_string(what), ", ", subject, ", ", now_us(sql), ")")
        .execute();
}

void insert_run_signals(soci::session& sql, protocol::namespace_id name_space, std::vector<new_execution> const& rows)
{
    for (auto const chunk : chunks(sql, rows, 1)) {
        statement insert(sql, "INSERT INTO `signal` (id, namespace, kind, subject, created_at) VALUES ");
        for (auto const& row : chunk)
            insert(fragment{&row == &chunk.front() ? "(" : ", ("}, row.id, ", ", name_space, ", ",
                   protocol::to_string(protocol::signal_kind::run), ", ", row.id, ", ", now_us(sql), ")");
        insert.execute();
    }
}

namespace {

bool names(statement_error const& failure, std::string_view key, std::string_view column)
{
    std::string_view const text = failure.what();
    return failure.why() == statement_error::kind::duplicate &&
           (text.find(key) != text.npos || text.find(column) != text.npos);
}

} // namespace

bool is_firing_taken(statement_error const& failure)
{
    return names(failure, "execution_firing", "execution.scheduled_at");
}

bool is_id_taken(statement_error const& failure)
{
    return names(failure, "PRIMARY", "execution.id");
}

bool is_task_name_taken(statement_error const& failure)
{
    return names(failure, "task_name", "task.name");
}

namespace {

// Bytes of the valid UTF-8 character at `at`, or 0.
std::size_t character(std::string const& text, std::size_t at)
{
    auto const byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    auto const first = byte(at);
    if (first < 0x80)
        return 1;
    std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if (byte(at + i) < 0x80 || byte(at + i) > 0xbf)
            return 0;
    auto const second = byte(at + 1);
    bool const wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
    return wrong ? 0 : length;
}

} // namespace

std::string fitting(std::string const& text, std::size_t longest)
{
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        auto const length = character(text, at);
        auto const piece = length == 0 ? std::string("?") : text.substr(at, length);
        if (out.size() + piece.size() > longest)
            break;
        out += piece;
        at += std::max<std::size_t>(1, length);
    }
    return out;
}

std::optional<std::string> fitting_name(std::string const& text, std::size_t longest)
{
    if (text.empty())
        return std::nullopt;
    std::string out = text.substr(0, longest);
    for (auto& c : out)
        if (static_cast<unsigned char>(c) >= 0x80)
            c = '?';
    return out;
}

} // namespace baton::storage
