package baton.peers;

import com.zaxxer.hikari.HikariDataSource;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** Clustered Quartz on its JDBC job store: a job with its payload, and a simple trigger, for each task. */
final class QuartzPeer implements Peer {
    private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_mysql_innodb.sql";
    private static final int CHUNK = 1000; // jobs a transaction, when they are registered

    private final Database database;
    private final Settings settings;
    private final HikariDataSource pool;
    private Scheduler scheduler;

    /** Named as the properties; README.md gives the reasons. */
    record Settings(int threadCount, int batchTriggerAcquisitionMaxCount, long fireAheadTimeWindow,
            boolean autoCommit, String isolation, String driver) {

        static final Map<String, Settings> BY_NAME = new LinkedHashMap<>();

        static {
            String tunedDriver = "useServerPrepStmts=true&prepStmtCacheSize=500";
            BY_NAME.put("recommended", new Settings(25, 1, 0, true, "TRANSACTION_REPEATABLE_READ", ""));
            BY_NAME.put("tuned", new Settings(50, 50, 0, false, "TRANSACTION_READ_COMMITTED", tunedDriver));
            BY_NAME.put("tuned-ahead", new Settings(50, 50, 100, false, "TRANSACTION_READ_COMMITTED", tunedDriver));
        }

        Properties properties() {
            Properties all = new Properties();
            all.put("org.quartz.scheduler.instanceName", "peers");
            all.put("org.quartz.scheduler.instanceId", "AUTO");
            all.put("org.quartz.scheduler.skipUpdateCheck", "true");
            all.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "" + batchTriggerAcquisitionMaxCount);
            all.put("org.quartz.scheduler.batchTriggerAcquisitionFireAheadTimeWindow", "" + fireAheadTimeWindow);
            all.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
            all.put("org.quartz.threadPool.threadCount", "" + threadCount);
            all.put("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
            all.put("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
            all.put("org.quartz.jobStore.useProperties", "true");
            all.put("org.quartz.jobStore.dataSource", "peers");
            all.put("org.quartz.jobStore.isClustered", "true");
            all.put("org.quartz.jobStore.clusterCheckinInterval", "20000");
            all.put("org.quartz.jobStore.useEnhancedStatements", "" + (batchTriggerAcquisitionMaxCount > 1));
            all.put("org.quartz.jobStore.acquireTriggersWithinLock", "" + (batchTriggerAcquisitionMaxCount > 1));
            return all;
        }
    }

    QuartzPeer(Database database, Settings settings) {
        this.database = database;
        this.settings = settings;
        pool = database.pool(settings.threadCount + 5, settings.autoCommit, settings.isolation, settings.driver);
    }

    @Override
    public String describe() {
        return settings.toString();
    }

    @Override
    public void register(Schedule schedule, int payload) throws Exception {
        try (InputStream tables = Scheduler.class.getResourceAsStream(TABLES)) {
            database.execute(new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        }
        DBConnectionManager.getInstance().addConnectionProvider("peers", new Pooled(pool));
        scheduler = new StdSchedulerFactory(settings.properties()).getScheduler();
        Map<JobDetail, Set<? extends Trigger>> chunk = new HashMap<>();
        for (int task = 0; task < schedule.tasks(); ++task) {
            chunk.put(job(task, payload), Set.of(trigger(schedule, task)));
            if (chunk.size() == CHUNK || task == schedule.tasks() - 1) {
                scheduler.scheduleJobs(chunk, false);
                chunk.clear();
            }
        }
    }

    private static JobDetail job(int task, int payload) {
        return JobBuilder.newJob(Noop.class)
                .withIdentity("" + task)
                .usingJobData("payload", "x".repeat(payload))
                .build();
    }

    /** Makes every late firing fire once. By default Quartz would skip firings that are a minute late. */
    private static Trigger trigger(Schedule schedule, int task) {
        return TriggerBuilder.newTrigger()
                .withIdentity("" + task)
                .startAt(Date.from(schedule.first(task)))
                .withSchedule(SimpleScheduleBuilder.simpleSchedule()
                        .withIntervalInMilliseconds(schedule.period().toMillis())
                        .repeatForever()
                        .withMisfireHandlingInstructionIgnoreMisfires())
                .build();
    }

    @Override
    public void delay(Duration by) throws SQLException {
        database.execute("UPDATE QRTZ_TRIGGERS SET START_TIME = START_TIME + " + by.toMillis()
                + ", NEXT_FIRE_TIME = NEXT_FIRE_TIME + " + by.toMillis());
    }

    @Override
    public void start(Journal journal) throws Exception {
        Noop.journal = journal;
        scheduler.start();
    }

    @Override
    public void close() throws Exception {
        if (scheduler != null) {
            scheduler.shutdown(true);
            scheduler = null;
        }
        pool.close();
    }

    /** Quartz creates an instance for each firing and sets its payload from the job data. */
    public static final class Noop implements Job {
        private static volatile Journal journal;
        private String payload;

        public void setPayload(String payload) {
            this.payload = payload;
        }

        @Override
        public void execute(JobExecutionContext context) {
            int task = Integer.parseInt(context.getJobDetail().getKey().getName());
            journal.started(task, context.getScheduledFireTime().toInstant());
            if (payload == null) {
                throw new IllegalStateException("a job without its payload");
            }
        }
    }

    private record Pooled(HikariDataSource pool) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void initialize() {}

        @Override
        public void shutdown() {}
    }
}
