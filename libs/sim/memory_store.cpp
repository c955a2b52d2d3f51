#include "libs/sim/memory_store.hpp"

#include "libs/storage/detail.hpp"

#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string_view>

namespace baton::sim {

namespace {

using namespace sqlite_api; // SOCI's header includes sqlite3.h in there

// Records the first statement.
struct recorder {
    bool seen = false;
    std::string text;
};

// A statement that only reads the tables may still acquire a named lock or end a session.
bool touches_sessions(std::string_view text)
{
    constexpr std::string_view acts[] = {"baton_get_lock", "baton_release_lock", "baton_kill"};
    return std::ranges::any_of(acts, [&](auto name) { return text.find(name) != text.npos; });
}

int record(unsigned, void* context, void* statement, void*)
{
    auto& kept = *static_cast<recorder*>(context);
    auto* const prepared = static_cast<sqlite3_stmt*>(statement);
    if (kept.seen)
        return 0;
    kept.seen = true;
    if (sqlite3_stmt_readonly(prepared) != 0 && !touches_sessions(sqlite3_sql(prepared)))
        return 0;
    if (char* const text = sqlite3_expanded_sql(prepared); text != nullptr) {
        kept.text = text;
        sqlite3_free(text);
    }
    return 0;
}

int refuse_writes(void* refused, int action, char const*, char const*, char const*, char const*)
{
    bool const reads =
        action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    if (!reads)
        *static_cast<bool*>(refused) = true;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

} // namespace

struct memory_store::parts {
    utc_time now{};
    soci::session sql{soci::sqlite3, "dbname=:memory:"};

    sqlite3* raw()
    {
        auto* const backend = static_cast<soci::sqlite3_session_backend*>(sql.get_backend());
        return reinterpret_cast<sqlite3*>(backend->conn_);
    }

    void execute(char const* text)
    {
        if (sqlite3_exec(raw(), text, nullptr, nullptr, nullptr) != SQLITE_OK)
            throw std::logic_error(std::string(text) + ": " + sqlite3_errmsg(raw()));
    }
};

memory_store::memory_store(session_functions& functions) : parts_(std::make_unique<parts>())
{
    register_session_functions(parts_->sql, functions);
    storage::register_now(parts_->sql, [mine = parts_.get()] { return to_micros(mine->now); });
}

memory_store::~memory_store() = default;

void memory_store::run(job const& work, bool in_transaction, utc_time now)
{
    parts_->now = now;
    auto const never = [](int) { return false; };
    bool begun = false;
    storage::run_job(parts_->sql, work, in_transaction, never, begun);
}

bool memory_store::read(job const& work, utc_time now)
{
    bool refused = false;
    std::exception_ptr failure;
    sqlite3_set_authorizer(parts_->raw(), refuse_writes, &refused);
    try {
        run(work, false, now);
    } catch (...) {
        failure = std::current_exception();
    }
    sqlite3_set_authorizer(parts_->raw(), nullptr, nullptr);
    if (failure && !refused)
        std::rethrow_exception(failure);
    return !refused;
}

void memory_store::run_and_lose(job const& work, utc_time now)
{
    parts_->now = now;
    parts_->execute("BEGIN IMMEDIATE");
    try {
        work(parts_->sql);
    } catch (...) {
        // The second run reports the failure to the caller.
    }
    parts_->execute("ROLLBACK");
}

std::string memory_store::first_statement(job const& work, utc_time now)
{
    recorder kept;
    parts_->now = now;
    parts_->execute("SAVEPOINT abandoned");
    sqlite3_trace_v2(parts_->raw(), SQLITE_TRACE_STMT, record, &kept);
    try {
        work(parts_->sql);
    } catch (...) {
        // The caller has gone, so a failure has no receiver.
    }
    sqlite3_trace_v2(parts_->raw(), 0, nullptr, nullptr);
    parts_->execute("ROLLBACK TO abandoned");
    parts_->execute("RELEASE abandoned");
    return kept.text;
}

int memory_store::replay(std::string const& text, utc_time now)
{
    parts_->now = now;
    auto const before = changes();
    if (sqlite3_exec(parts_->raw(), text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return -1;
    return static_cast<int>(changes() - before);
}

void memory_store::copy(memory_store& from)
{
    auto* const copying = sqlite3_backup_init(parts_->raw(), "main", from.parts_->raw(), "main");
    if (copying != nullptr)
        sqlite3_backup_step(copying, -1);
    if (copying == nullptr || sqlite3_backup_finish(copying) != SQLITE_OK)
        throw std::logic_error(std::string("copying the tables: ") + sqlite3_errmsg(parts_->raw()));
}

std::int64_t memory_store::changes()
{
    return sqlite3_total_changes(parts_->raw());
}

} // namespace baton::sim
