// The stock of one article, deducted by many at once: each unit is sold once, with each kind of lock.
//
//     stock KIND URL [LOCKS]
//
// URL is where the stock is, mysql://... or sqlite:FILE. KIND: record, lease, row, own-row, version, value, or none,
// whose locks are in the same database; redis, redlock or zookeeper with LOCKS, the URL of theirs
// (baton/lock/store.hpp).
//
// A thousand deductions of one, in sixteen threads that share nothing but the store, from a stock of 500: what is left
// must be 0, and 500 must have been refused. Status 0 when it is so; without a lock (none) it is not. Makes the tables
// it needs.

#include <soci/mysql/soci-mysql.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <atomic>
#include <baton/lock/optimistic.hpp>
#include <baton/lock/row.hpp>
#include <baton/lock/store.hpp>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace lock = baton::lock;

constexpr int in_stock = 500;
constexpr int customers = 1'000;
constexpr int threads = 16;

struct outcome {
    std::atomic<int> came = 0;
    std::atomic<int> sold = 0;
    std::atomic<int> refused = 0;
};

std::unique_ptr<soci::session> connect(std::string const& url)
{
    std::smatch part;
    if (std::regex_match(url, part, std::regex("sqlite:(.+)"))) {
        auto session = std::make_unique<soci::session>(soci::sqlite3, part[1].str());
        *session << "PRAGMA busy_timeout = 5000";
        return session;
    }
    if (!std::regex_match(url, part, std::regex("mysql://([^:@]+)(:([^@]*))?@([^:/]+):([0-9]+)/(.+)")))
        throw std::invalid_argument("neither sqlite:FILE nor mysql://user:password@host:port/database: " + url);
    return std::make_unique<soci::session>(soci::mysql, "user='" + part[1].str() + "' password='" + part[3].str() +
                                                            "' host='" + part[4].str() + "' port=" + part[5].str() +
                                                            " dbname='" + part[6].str() + "'");
}

void fill(soci::session& sql)
{
    sql << "DROP TABLE IF EXISTS stock";
    sql << "CREATE TABLE stock (id INTEGER PRIMARY KEY, num INTEGER NOT NULL, version BIGINT NOT NULL, "
           "fence BIGINT NOT NULL)";
    sql << "INSERT INTO stock VALUES (42, :num, 1, 0)", soci::use(in_stock);
}

int left(soci::session& sql)
{
    int num = 0;
    sql << "SELECT num FROM stock WHERE id = 42", soci::into(num);
    return num;
}

// Under a lock with a token: whoever lost the lock meanwhile has a lower one than the row has seen, and changes
// nothing.
bool deduct_fenced(soci::session& sql, std::uint64_t token)
{
    auto const num = left(sql);
    if (num == 0)
        return false;
    auto const fence = static_cast<long long>(token);
    soci::statement update =
        (sql.prepare << "UPDATE stock SET num = :num, fence = :fence WHERE id = 42 AND fence <= :f", soci::use(num - 1),
         soci::use(fence), soci::use(fence));
    update.execute(true);
    if (update.get_affected_rows() != 1)
        throw std::runtime_error("the lock was lost, and the stock is another's");
    return true;
}

bool with_lock(lock::named_lock& by, soci::session& sql)
{
    std::scoped_lock const held(by);
    return deduct_fenced(sql, by.token());
}

// A lock in a transaction of its own has no token, nor has a majority of Redis servers. What makes a change under it
// safe is that it still holds before the commit, which is all that can be asked for here.
bool without_token(lock::named_lock& by, soci::session& sql)
{
    std::scoped_lock const held(by);
    soci::transaction change(sql);
    auto const num = left(sql);
    if (num == 0)
        return false;
    sql << "UPDATE stock SET num = :num WHERE id = 42", soci::use(num - 1);
    if (!by.valid())
        throw std::runtime_error("the lock was lost");
    change.commit();
    return true;
}

// In the same transaction as the change: both are committed, or neither.
bool with_own_row(soci::session& sql)
{
    soci::transaction change(sql);
    if (!lock::lock_row(sql, "stock:42", 10s))
        throw std::runtime_error("no turn within ten seconds");
    int num = 0;
    sql << "SELECT num FROM stock WHERE id = 42 FOR UPDATE",
        soci::into(num); // as it is, not as it was at the beginning
    if (num == 0)
        return false;
    sql << "UPDATE stock SET num = :num WHERE id = 42", soci::use(num - 1);
    change.commit();
    return true;
}

bool optimistically(soci::session& sql, std::string const& column)
{
    lock::optimistic_options patient;
    patient.tries = 1'000;
    auto const attempt = [&](soci::session& in) {
        int num = 0;
        long long version = 0;
        in << "SELECT num, version FROM stock WHERE id = 42", soci::into(num), soci::into(version);
        if (num == 0)
            return lock::compared::refused;
        auto const seen = column == "num" ? num : version;
        soci::statement update =
            (in.prepare << "UPDATE stock SET num = :num, version = version + 1 WHERE id = 42 AND " + column +
                               " = :seen",
             soci::use(num - 1), soci::use(seen));
        update.execute(true);
        return update.get_affected_rows() == 1 ? lock::compared::changed : lock::compared::raced;
    };
    switch (lock::update_optimistically(sql, attempt, patient)) {
    case lock::optimistic_result::changed:
        return true;
    case lock::optimistic_result::refused:
        return false;
    default:
        throw std::runtime_error("a thousand others were quicker");
    }
}

// What goes wrong: two read the same number, and both write one less.
bool without_lock(soci::session& sql)
{
    auto const num = left(sql);
    if (num == 0)
        return false;
    sql << "UPDATE stock SET num = :num WHERE id = 42", soci::use(num - 1);
    return true;
}

using deduction = std::function<bool(soci::session&)>;

lock::named_lock make_lock(std::string const& kind, lock::store& locks)
{
    std::string const name = "stock:42";
    if (kind == "record")
        return locks.record(name);
    if (kind == "lease")
        return locks.lease(name);
    if (kind == "row")
        return locks.row(name);
    if (kind == "redis" || kind == "redlock")
        return locks.redis(name);
    if (kind == "zookeeper")
        return locks.zookeeper(name);
    throw std::invalid_argument("no kind " + kind);
}

// Each caller's own: a lock object is one holder.
deduction make_deduction(std::string const& kind, lock::store& locks)
{
    if (kind == "own-row")
        return with_own_row;
    if (kind == "version" || kind == "value")
        return [kind](soci::session& sql) { return optimistically(sql, kind == "value" ? "num" : "version"); };
    if (kind == "none")
        return without_lock;
    auto const by = std::make_shared<lock::named_lock>(make_lock(kind, locks));
    bool const has_token = kind != "row" && kind != "redlock";
    return [by, has_token](soci::session& sql) { return has_token ? with_lock(*by, sql) : without_token(*by, sql); };
}

void sell(std::string const& kind, std::string const& url, lock::store& locks, outcome& seen)
{
    auto const session = connect(url);
    auto const deduct = make_deduction(kind, locks);
    while (seen.came++ < customers)
        ++(deduct(*session) ? seen.sold : seen.refused);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3 && argc != 4) {
        std::cerr << "usage: stock record|lease|row|own-row|version|value|none URL\n"
                     "       stock redis|redlock|zookeeper URL LOCKS\n";
        return 2;
    }
    try {
        std::string const kind = argv[1];
        std::string const url = argv[2];
        lock::store_options how;
        how.rows = threads;
        lock::store locks(argc == 4 ? argv[3] : url, how);
        locks.create_tables();
        auto const session = connect(url);
        fill(*session);
        if (kind == "own-row")
            lock::make_row(*session, "stock:42");
        outcome seen;
        std::exception_ptr failure;
        std::mutex of_failure;
        std::vector<std::thread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back([&] {
                try {
                    sell(kind, url, locks, seen);
                } catch (...) {
                    std::lock_guard const held(of_failure);
                    failure = std::current_exception();
                }
            });
        for (auto& each : all)
            each.join();
        if (failure)
            std::rethrow_exception(failure);
        std::cout << kind << ": sold " << seen.sold << ", refused " << seen.refused << ", left " << left(*session)
                  << '\n';
        return seen.sold == in_stock && left(*session) == 0 && seen.refused == customers - in_stock ? 0 : 1;
    } catch (std::exception const& failure) {
        std::cerr << "stock: " << failure.what() << '\n';
        return 1;
    }
}
