package baton.peers;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The server's counters. A commit is a transaction that wrote something and was committed, by an explicit COMMIT or
 * by autocommit. Only InnoDB counts both; Com_commit does not include autocommitted transactions.
 */
record Counters(long statements, long commits, long commitStatements) {

    static void enable(Database database) throws SQLException {
        database.execute("SET GLOBAL innodb_monitor_enable = 'trx_rw_commits'");
    }

    static Counters read(Database database) throws SQLException {
        Map<String, Long> status = longs(database.query(
                "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Com_commit')"));
        Map<String, Long> metrics = longs(database.query(
                "SELECT name, count FROM information_schema.innodb_metrics WHERE name = 'trx_rw_commits'"));
        return new Counters(status.get("Questions"), metrics.get("trx_rw_commits"), status.get("Com_commit"));
    }

    Counters minus(Counters other) {
        return new Counters(statements - other.statements, commits - other.commits,
                commitStatements - other.commitStatements);
    }

    private static Map<String, Long> longs(List<List<String>> rows) {
        return rows.stream().collect(Collectors.toMap(row -> row.get(0), row -> Long.parseLong(row.get(1))));
    }
}
