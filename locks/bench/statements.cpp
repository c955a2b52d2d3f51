// Measures a free lock against the statements that it needs, sent one after the other on a session of its own:
// bench_locks URL [ROUNDS]. Both run in turns, so that other load on the machine affects both. Then measures how often
// per second two holders in two stores hand a lock over to each other.

#include "libs/base/time.hpp"
#include "libs/storage/detail.hpp"
#include "libs/storage/statement.hpp"

#include <soci/soci.h>

#include <algorithm>
#include <atomic>
#include <baton/lock/store.hpp>
#include <functional>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace lock = baton::lock;

constexpr int pairs_a_round = 50;

double micros_of(std::function<void()> const& work)
{
    baton::system_time const time;
    auto const began = time.now();
    for (int i = 0; i < pairs_a_round; ++i)
        work();
    return static_cast<double>((time.now() - began).count()) / pairs_a_round;
}

double median(std::vector<double> all)
{
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2), all.end());
    return all[all.size() / 2];
}

// The minimum for a record: two conditional updates, the first of which returns the token.
void bare_record(soci::session& sql, std::string const& table)
{
    bool const last_insert_id = !baton::storage::dialect_of(sql).returns_rows();
    auto const take = "UPDATE " + table + " SET owner = 'bare', token = " +
                      (last_insert_id ? "LAST_INSERT_ID(2 * (token + 1)) DIV 2" : "token + 1") +
                      ", renew_seq = renew_seq + 1, renewed_at = renewed_at + 1 WHERE name = 'bare' AND owner IS NULL";
    long long token = 0;
    if (last_insert_id)
        sql << take;
    else
        sql << take + " RETURNING token", soci::into(token);
    sql << "UPDATE " + table + " SET owner = NULL, renew_seq = renew_seq + 1 WHERE name = 'bare' AND owner = 'bare'";
}

void bare_row(soci::session& sql)
{
    std::string name;
    sql << "START TRANSACTION";
    sql << "SELECT name FROM lock_row WHERE name = 'bare' FOR UPDATE NOWAIT", soci::into(name);
    sql << "COMMIT";
}

void report(std::string const& kind, int rounds, std::function<void()> const& with_lock,
            std::function<void()> const& bare)
{
    std::vector<double> locked;
    std::vector<double> by_hand;
    micros_of(with_lock);
    micros_of(bare);
    for (int i = 0; i < rounds; ++i) {
        locked.push_back(micros_of(with_lock));
        by_hand.push_back(micros_of(bare));
    }
    std::cout << kind << ": " << median(locked) << " us, bare " << median(by_hand) << " us, ratio "
              << median(locked) / median(by_hand) << std::endl;
}

void make_bare_rows(soci::session& sql)
{
    for (char const* const table : {"lock_record", "lock_lease"}) {
        sql << std::string("DELETE FROM ") + table + " WHERE name = 'bare'";
        sql << std::string("INSERT INTO ") + table +
                   " (name, owner, token, took_over, renew_seq, ttl_us, renewed_at, boot, label)"
                   " VALUES ('bare', NULL, 0, 0, 0, 1, 1, '', '')";
    }
}

void hand_over(std::string const& url, std::string const& kind, lock::sql_lock form)
{
    constexpr auto span = 3s;
    std::atomic<int> turns = 0;
    std::atomic<bool> over = false;
    auto const take_turns = [&] {
        lock::store in(url);
        auto by = in.lock("turns", form);
        while (!over) {
            if (!by.try_lock_for(10s))
                continue;
            ++turns;
            by.unlock();
        }
    };
    std::thread one(take_turns);
    std::thread other(take_turns);
    std::this_thread::sleep_for(span);
    over = true;
    one.join();
    other.join();
    std::cout << kind << ": " << turns / 3 << " holds a second by two holders in turn" << std::endl;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::cerr << "usage: bench_locks URL [ROUNDS]\n";
        return 2;
    }
    std::string const url = argv[1];
    int const rounds = argc > 2 ? std::stoi(argv[2]) : 11;
    lock::store locks(url);
    locks.create_tables();
    baton::system_time const time;
    auto const where = baton::storage::parse_location(url);
    auto const session = baton::storage::open_session(where, {}, time);
    make_bare_rows(*session);
    auto record = locks.lock("free");
    auto lease = locks.lock("free", lock::sql_lock::lease);
    auto const turn = [](lock::named_lock& by) {
        return [&by] {
            by.lock();
            by.unlock();
        };
    };
    report("record", rounds, turn(record), [&] { bare_record(*session, "lock_record"); });
    report("lease", rounds, turn(lease), [&] { bare_record(*session, "lock_lease"); });
    if (baton::storage::dialect_of(where.engine).locks_rows()) {
        *session << "INSERT IGNORE INTO lock_row (name) VALUES ('bare')";
        auto row = locks.lock("free", lock::sql_lock::row);
        report("row", rounds, turn(row), [&] { bare_row(*session); });
        hand_over(url, "row", lock::sql_lock::row);
    }
    hand_over(url, "record", lock::sql_lock::record);
    hand_over(url, "lease", lock::sql_lock::lease);
}
