#include "libs/storage/migrations.hpp"

#include "libs/storage/detail.hpp"
#include "libs/storage/migration_files.hpp"
#include "libs/storage/statement.hpp"

#include <soci/soci.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <thread>

namespace baton::storage {

namespace {

constexpr int most_looks = 50;
constexpr duration between_looks = 100ms;

struct step {
    migration_step about;
    std::string const* text;
};

std::vector<step> steps_of(dialect const& dialect, migration_set const& set)
{
    std::string const folder = std::string(dialect.name()) + set.suffix;
    std::vector<step> steps;
    for (auto const& file : set.files) {
        if (file.folder != folder)
            continue;
        int number = 0;
        std::from_chars(file.name.data(), file.name.data() + file.name.size(), number);
        steps.push_back({{number, file.name}, &file.text});
    }
    if (steps.empty())
        throw schema_mismatch("there are no migrations '" + set.name + "' for this kind of database");
    return steps;
}

// Statements end with a semicolon at the end of a line; comments are lines of their own.
std::vector<std::string> statements_of(std::string const& text)
{
    std::vector<std::string> statements;
    std::istringstream lines(text);
    std::string statement;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line.starts_with("--"))
            continue;
        statement += line + '\n';
        if (line.back() == ';') {
            statement.resize(statement.size() - 2);
            statements.push_back(std::move(statement));
            statement.clear();
        }
    }
    if (!statement.empty())
        throw schema_mismatch("a migration ends inside a statement");
    return statements;
}

bool has_version_table(soci::session& sql)
{
    int found = 0;
    sql << dialect_of(sql).count_version_table(), soci::into(found);
    return found != 0;
}

// The steps in schema_version: from number to whether the step was finished.
std::map<int, bool> applied(soci::session& sql, std::string const& set)
{
    std::map<int, bool> found;
    statement(sql).select("number", "applied_at")(" FROM schema_version WHERE `set` = ", set).each([&](row& answer) {
        auto const number = answer.small();
        found[number] = answer.maybe_number().has_value();
    });
    return found;
}

bool is_whole(std::map<int, bool> const& found)
{
    return std::all_of(found.begin(), found.end(), [](auto const& one) { return one.second; });
}

// Changes of another node of a Galera cluster arrive with a lag, and no named lock keeps its migrations apart from
// ours. So a migration that looks half done is read again for a while, unless the dialect never leaves one half done.
template <class Enough>
std::map<int, bool> applied_by_now(soci::session& sql, std::string const& set, Enough enough)
{
    auto found = applied(sql, set);
    for (int looks = 1; looks < most_looks && !dialect_of(sql).transactional_ddl() && !enough(found); ++looks) {
        std::this_thread::sleep_for(between_looks);
        found = applied(sql, set);
    }
    return found;
}

void refuse_broken(std::map<int, bool> const& found, std::vector<step> const& steps, std::string const& set)
{
    for (auto const& [number, finished] : found) {
        if (number > steps.back().about.number)
            throw schema_mismatch("the database is newer than this program: it has step " + std::to_string(number) +
                                  " of '" + set + "', the program knows " + std::to_string(steps.back().about.number));
        if (!finished)
            throw schema_mismatch("step " + std::to_string(number) + " of '" + set +
                                  "' was begun and not finished; this kind of database cannot undo half of it. Restore "
                                  "the backup, or finish or undo its statements by hand and correct schema_version");
    }
}

void apply(soci::session& sql, std::string const& set, step const& step)
{
    statement(sql, "INSERT INTO schema_version (`set`, number, name, applied_at) VALUES (", set, ", ",
              step.about.number, ", ", step.about.name, ", NULL)")
        .execute();
    for (auto const& statement : statements_of(*step.text))
        sql << statement;
    statement(sql, "UPDATE schema_version SET applied_at = ", now_us(sql), " WHERE `set` = ", set,
              " AND number = ", step.about.number)
        .execute();
}

std::vector<migration_step> bring_up(soci::session& sql, migration_set const& tables)
{
    auto const steps = steps_of(dialect_of(sql), tables);
    auto const& set = tables.name;
    sql << dialect_of(sql).make_version_table();
    auto const found = applied_by_now(sql, set, is_whole);
    refuse_broken(found, steps, set);
    std::vector<migration_step> done;
    for (auto const& each : steps)
        if (!found.contains(each.about.number)) {
            apply(sql, set, each);
            done.push_back(each.about);
        }
    return done;
}

// The session's named lock for migrations, for as long as this object lives.
class migration_lock {
public:
    explicit migration_lock(soci::session& sql) : sql_(sql), words_(dialect_of(sql).named_locks())
    {
        for (int tries = 0; tries < 30; ++tries)
            if (ask(words_.get, {", 1)"}) == 1)
                return;
        throw unavailable("database: another migration is running");
    }
    ~migration_lock()
    {
        try {
            ask(words_.release, {")"});
        } catch (std::exception const&) {
            // The session is gone, and the lock with it.
        }
    }
    migration_lock(migration_lock const&) = delete;
    migration_lock& operator=(migration_lock const&) = delete;

private:
    std::int64_t ask(fragment function, fragment end)
    {
        std::int64_t answer = 0;
        statement(sql_)
            .column(function)(words_.name_begin, "'baton:migrate'", words_.name_end, end)
            .each([&](row& cells) { answer = cells.maybe_number().value_or(0); });
        return answer;
    }

    soci::session& sql_;
    named_lock_words const& words_;
};

} // namespace

migration_set scheduler_tables()
{
    return {"scheduler", migration_files()};
}

migration_set lease_tables()
{
    return {"lease", migration_files(), "-lease"};
}

awaitable<std::vector<migration_step>> migrate(database& where, migration_set set)
{
    if (where.dialect().transactional_ddl()) {
        auto const work = [&](soci::session& sql) { return bring_up(sql, set); };
        co_return co_await where.transact(work);
    }
    auto const work = [&](soci::session& sql) {
        migration_lock const lock(sql);
        return bring_up(sql, set);
    };
    co_return co_await where.run(work);
}

awaitable<void> check_schema(database& where, migration_set tables)
{
    auto const work = [&](soci::session& sql) {
        auto const& set = tables.name;
        auto const steps = steps_of(dialect_of(sql), tables);
        auto const enough = [&](std::map<int, bool> const& now) {
            return now.empty() || (is_whole(now) && now.size() >= steps.size());
        };
        auto const found = has_version_table(sql) ? applied_by_now(sql, set, enough) : std::map<int, bool>{};
        refuse_broken(found, steps, set);
        for (auto const& each : steps)
            if (!found.contains(each.about.number))
                throw schema_mismatch("the database lacks step " + each.about.name + " of '" + set +
                                      "': run baton migrate");
        // Every compare-and-set relies on the count of matched rows, also for an UPDATE that changes no value.
        statement idle(sql, "UPDATE schema_version SET name = name WHERE `set` = ", set,
                       " AND number = ", steps.back().about.number);
        if (idle.execute() != 1)
            throw schema_mismatch("the database, or a proxy before it, does not count matched rows");
    };
    co_await where.run(work);
}

} // namespace baton::storage
