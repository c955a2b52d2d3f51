package baton.peers;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.jdbc.MySQL8JdbcCustomization;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** db-scheduler: one custom task with an instance per benchmark task; each run reschedules itself by one period. */
final class DbSchedulerPeer implements Peer {
    private static final int CHUNK = 1000; // instances a batch, when they are registered

    private final Database database;
    private final Settings settings;
    private final HikariDataSource pool;
    private volatile Journal journal;
    private Scheduler scheduler;

    /** Named as in the builder; README.md gives the reasons. */
    record Settings(int threads, Duration pollingInterval, boolean lockAndFetch, double lowerLimit, double upperLimit,
            boolean priorityIndex, String isolation, String driver) {

        static final Map<String, Settings> BY_NAME = new LinkedHashMap<>();

        static {
            String tunedDriver = "useServerPrepStmts=true&prepStmtCacheSize=500";
            BY_NAME.put("recommended", new Settings(10, Duration.ofSeconds(1), false, 0.5, 3.0, true,
                    "TRANSACTION_REPEATABLE_READ", ""));
            BY_NAME.put("tuned-fetch", new Settings(20, Duration.ofMillis(20), false, 4.0, 20.0, false,
                    "TRANSACTION_READ_COMMITTED", tunedDriver));
            BY_NAME.put("tuned-lock-and-fetch", new Settings(20, Duration.ofMillis(20), true, 4.0, 20.0, false,
                    "TRANSACTION_READ_COMMITTED", tunedDriver));
        }

        SchedulerBuilder apply(SchedulerBuilder builder) {
            builder.threads(threads).pollingInterval(pollingInterval).alwaysPersistTimestampInUTC();
            return lockAndFetch
                    // It assumes that MariaDB lacks SKIP LOCKED, which exists since 10.6.
                    ? builder.pollUsingLockAndFetch(lowerLimit, upperLimit)
                            .jdbcCustomization(new MySQL8JdbcCustomization(true))
                    : builder.pollUsingFetchAndLockOnExecute(lowerLimit, upperLimit);
        }
    }

    DbSchedulerPeer(Database database, Settings settings) {
        this.database = database;
        this.settings = settings;
        pool = database.pool(settings.threads + 5, true, settings.isolation, settings.driver);
    }

    @Override
    public String describe() {
        return settings.toString();
    }

    @Override
    public void register(Schedule schedule, int payload) throws SQLException {
        createTable();
        CustomTask<byte[]> noop = Tasks.custom("noop", byte[].class).execute((instance, context) -> {
            Instant due = context.getExecution().executionTime;
            journal.started(Integer.parseInt(instance.getId()), due);
            if (instance.getData().length != payload) {
                throw new IllegalStateException("a task without its payload");
            }
            return (complete, operations) -> operations.reschedule(complete, due.plus(schedule.period()));
        });
        scheduler = settings.apply(Scheduler.create(pool, noop)).shutdownMaxWait(Duration.ofSeconds(10)).build();
        List<SchedulableInstance<?>> chunk = new ArrayList<>();
        for (int task = 0; task < schedule.tasks(); ++task) {
            chunk.add(SchedulableInstance.of(noop.instance("" + task, new byte[payload]), schedule.first(task)));
            if (chunk.size() == CHUNK || task == schedule.tasks() - 1) {
                scheduler.scheduleBatch(chunk);
                chunk.clear();
            }
        }
    }

    /** The columns and indexes that its documentation asks for. DATETIME, so that no session time zone applies. */
    private void createTable() throws SQLException {
        database.execute("""
                CREATE TABLE scheduled_tasks (
                    task_name VARCHAR(100) NOT NULL,
                    task_instance VARCHAR(100) NOT NULL,
                    task_data BLOB,
                    execution_time DATETIME(6) NOT NULL,
                    picked BOOLEAN NOT NULL,
                    picked_by VARCHAR(50),
                    last_success DATETIME(6),
                    last_failure DATETIME(6),
                    consecutive_failures INT,
                    last_heartbeat DATETIME(6),
                    version BIGINT NOT NULL,
                    priority SMALLINT,
                    PRIMARY KEY (task_name, task_instance),
                    KEY by_time (execution_time),
                    KEY by_heartbeat (last_heartbeat)
                ) ENGINE = InnoDB""");
        if (settings.priorityIndex) {
            database.execute("ALTER TABLE scheduled_tasks ADD KEY by_priority (priority DESC, execution_time)");
        }
    }

    @Override
    public void delay(Duration by) throws SQLException {
        database.execute("UPDATE scheduled_tasks SET execution_time = execution_time + INTERVAL " + by.toMillis() * 1000
                + " MICROSECOND");
    }

    @Override
    public void start(Journal journal) {
        this.journal = journal;
        scheduler.start();
    }

    @Override
    public void close() {
        if (scheduler != null) {
            scheduler.stop();
            scheduler = null;
        }
        pool.close();
    }
}
