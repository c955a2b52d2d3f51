package baton.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A private database on the server at mysql://user:password@host:port, dropped at the end. */
final class Database implements AutoCloseable {
    private final URI server;
    private final String name;
    private final Connection connection;

    Database(URI server, String name) throws SQLException {
        this.server = server;
        this.name = name;
        connection = DriverManager.getConnection(url("", "allowMultiQueries=true"), user(), password());
        requireDurability();
        execute("DROP DATABASE IF EXISTS " + name + "; CREATE DATABASE " + name + "; USE " + name);
    }

    /** May contain several statements. */
    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    List<List<String>> query(String sql) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(sql)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); ++column) {
                    row.add(result.getString(column));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    /** Updates the table statistics, which a server in use would have. */
    void analyze() throws SQLException {
        for (List<String> row : query("SHOW TABLES")) {
            query("ANALYZE TABLE " + row.get(0));
        }
    }

    /** Opens all connections at once. The options are the driver's. */
    HikariDataSource pool(int size, boolean autoCommit, String isolation, String options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url(name, options));
        config.setUsername(user());
        config.setPassword(password());
        config.setMaximumPoolSize(size);
        config.setAutoCommit(autoCommit);
        config.setTransactionIsolation(isolation);
        return new HikariDataSource(config);
    }

    @Override
    public void close() throws SQLException {
        execute("DROP DATABASE " + name);
        connection.close();
    }

    private void requireDurability() throws SQLException {
        String flush = query("SELECT @@innodb_flush_log_at_trx_commit").get(0).get(0);
        if (!flush.equals("1")) {
            throw new IllegalStateException("the server has innodb_flush_log_at_trx_commit=" + flush + ", not 1");
        }
    }

    private String url(String database, String options) {
        return "jdbc:mariadb://" + server.getHost() + ":" + server.getPort() + "/" + database + "?" + options;
    }

    private String user() {
        return server.getUserInfo().split(":", 2)[0];
    }

    private String password() {
        String[] parts = server.getUserInfo().split(":", 2);
        return parts.length == 2 ? parts[1] : "";
    }
}
