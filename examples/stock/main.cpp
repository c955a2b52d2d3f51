// Many customers buy the same article at once, and a lock sells each unit once.
//
//     stock KIND URL [LOCKS]
//
// URL is the database of the stock: mysql://... or sqlite:FILE. The kinds record, lease, row, own-row, version, value
// and none keep their locks in the same database. The kinds redis, redlock and zookeeper need LOCKS, the URL of their
// server (baton/lock/store.hpp).
//
// Sixteen threads, which share nothing but the stores, try to sell a thousand units from a stock of 500. The exit
// status is 0 if 500 were sold, 500 refused and none is left. Without a lock (none) it is 1. The program creates its
// tables.

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
    std::atomic<int> customers = 0;
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

int units_left(soci::session& sql)
{
    int num = 0;
    sql << "SELECT num FROM stock WHERE id = 42", soci::into(num);
    return num;
}

// Under a lock with a token. A holder that lost the lock has a lower token than the row, and changes nothing.
bool deduct_fenced(soci::session& sql, std::uint64_t token)
{
    auto const num = units_left(sql);
    if (num == 0)
        return false;
    auto const fence = static_cast<long long>(token);
    soci::statement update =
        (sql.prepare << "UPDATE stock SET num = :num, fence = :fence WHERE id = 42 AND fence <= :f", soci::use(num - 1),
         soci::use(fence), soci::use(fence));
    update.execute(true);
    if (update.get_affected_rows() != 1)
        throw std::runtime_error("the lock was lost, and another holder has changed the stock");
    return true;
}

bool with_token(lock::named_lock& stock, soci::session& sql)
{
    std::scoped_lock const held(stock);
    return deduct_fenced(sql, stock.token());
}

// Row locks and redlock have no token. The check before the commit is the best protection that they allow.
bool without_token(lock::named_lock& stock, soci::session& sql)
{
    std::scoped_lock const held(stock);
    soci::transaction change(sql);
    auto const num = units_left(sql);
    if (num == 0)
        return false;
    sql << "UPDATE stock SET num = :num WHERE id = 42", soci::use(num - 1);
    if (!stock.valid())
        throw std::runtime_error("the lock was lost");
    change.commit();
    return true;
}

// Lock and change in one transaction.
bool with_own_row(soci::session& sql)
{
    soci::transaction change(sql);
    if (!lock::lock_row(sql, "stock:42", 10s))
        throw std::runtime_error("the row was locked for ten seconds");
    int num = 0;
    sql << "SELECT num FROM stock WHERE id = 42 FOR UPDATE",
        soci::into(num); // FOR UPDATE: the present value, not the one at the start of the transaction
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
        throw std::runtime_error("lost a thousand races");
    }
}

// The fault that locks prevent: two threads read the same number, and both write one less.
bool without_lock(soci::session& sql)
{
    auto const num = units_left(sql);
    if (num == 0)
        return false;
    sql << "UPDATE stock SET num = :num WHERE id = 42", soci::use(num - 1);
    return true;
}

using deduction = std::function<bool(soci::session&)>;

lock::named_lock make_lock(std::string const& kind, lock::store& locks)
{
    std::string const name = "stock:42";
    if (kind == "lease")
        return locks.lock(name, lock::sql_lock::lease);
    if (kind == "row")
        return locks.lock(name, lock::sql_lock::row);
    if (kind == "record" || kind == "redis" || kind == "redlock" || kind == "zookeeper")
        return locks.lock(name);
    throw std::invalid_argument("unknown kind " + kind);
}

// Each thread makes its own, because a lock object is one holder.
deduction make_deduction(std::string const& kind, lock::store& locks)
{
    if (kind == "own-row")
        return with_own_row;
    if (kind == "version" || kind == "value")
        return [kind](soci::session& sql) { return optimistically(sql, kind == "value" ? "num" : "version"); };
    if (kind == "none")
        return without_lock;
    auto const stock = std::make_shared<lock::named_lock>(make_lock(kind, locks));
    if (kind == "row" || kind == "redlock")
        return [stock](soci::session& sql) { return without_token(*stock, sql); };
    return [stock](soci::session& sql) { return with_token(*stock, sql); };
}

void sell(std::string const& kind, std::string const& url, lock::store& locks, outcome& total)
{
    auto const session = connect(url);
    auto const deduct = make_deduction(kind, locks);
    while (total.customers++ < customers)
        ++(deduct(*session) ? total.sold : total.refused);
}

void sell_in_threads(std::string const& kind, std::string const& url, lock::store& locks, outcome& total)
{
    std::exception_ptr failure;
    std::mutex failure_mutex;
    std::vector<std::thread> all;
    all.reserve(threads);
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
            try {
                sell(kind, url, locks, total);
            } catch (...) {
                std::lock_guard const held(failure_mutex);
                failure = std::current_exception();
            }
        });
    for (auto& thread : all)
        thread.join();
    if (failure)
        std::rethrow_exception(failure);
}

int run(std::string const& kind, std::string const& url, std::string const& locks_url)
{
    lock::store_options options;
    options.row_sessions = threads;
    lock::store locks(locks_url, options);
    locks.create_tables();
    auto const session = connect(url);
    fill(*session);
    if (kind == "own-row")
        lock::make_row(*session, "stock:42");
    outcome total;
    sell_in_threads(kind, url, locks, total);
    auto const left = units_left(*session);
    std::cout << kind << ": sold " << total.sold << ", refused " << total.refused << ", left " << left << '\n';
    return total.sold == in_stock && left == 0 && total.refused == customers - in_stock ? 0 : 1;
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
        return run(argv[1], argv[2], argv[argc - 1]);
    } catch (std::exception const& failure) {
        std::cerr << "stock: " << failure.what() << '\n';
        return 1;
    }
}
