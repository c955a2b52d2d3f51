package baton.peers;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** One load on one peer, from empty tables to the figures. */
record Trial(Load load, int tasks, int seconds, int warmUp, int payload, int herdLimit) {
    enum Load { steady, herd, lag }

    private static final Duration GRACE = Duration.ofSeconds(2); // for firings due at the end of the window
    private static final Duration LEAD = Duration.ofSeconds(2);  // from the start of the peer to the first instant

    /** The server's counters, divided by the number of started jobs. */
    private record Cost(Counters counters, int starts, Instant from, Instant to) {}

    JsonObject run(Database database, Peer peer) throws Exception {
        Instant far = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(1, ChronoUnit.HOURS);
        Schedule draft = new Schedule(tasks, far, period(), load != Load.herd);
        peer.register(draft, payload);
        database.analyze();
        Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS).plus(LEAD).plusSeconds(1);
        peer.delay(Duration.between(far, begin));
        Schedule schedule = draft.beginningAt(begin);

        Journal journal = new Journal(load == Load.herd ? 2 * tasks : 2 * tasks * (warmUp + seconds + 10));
        WallClock clock = new WallClock();
        peer.start(journal);
        Cost cost = load == Load.herd ? herd(database, journal, begin) : window(database, journal, begin);
        peer.close();
        return figures(cost, Verdict.of(schedule, journal, cost.from, cost.to), begin, clock.movedMicros());
    }

    private Duration period() {
        return load == Load.herd ? Duration.ofHours(1) : Duration.ofSeconds(1);
    }

    /** Measures from just before the common due instant until all jobs have started or the limit has passed. */
    private Cost herd(Database database, Journal journal, Instant begin) throws Exception {
        Instant limit = begin.plusSeconds(herdLimit);
        WallClock.sleepUntil(begin.minusMillis(500));
        Counters before = Counters.read(database);
        while (journal.size() < tasks && Instant.now().isBefore(limit)) {
            Thread.sleep(5);
        }
        Thread.sleep(200); // the last jobs have not completed yet
        Cost cost = new Cost(Counters.read(database).minus(before), journal.size(), begin.minusMillis(500), limit);
        WallClock.sleepUntil(Instant.now().plus(GRACE)); // a second start may follow
        return cost;
    }

    private Cost window(Database database, Journal journal, Instant begin) throws Exception {
        Instant from = begin.plusSeconds(warmUp);
        Instant to = from.plusSeconds(seconds);
        WallClock.sleepUntil(from);
        int startsBefore = journal.size();
        Counters before = Counters.read(database);
        WallClock.sleepUntil(to);
        int starts = journal.size() - startsBefore;
        Cost cost = new Cost(Counters.read(database).minus(before), starts, from, to);
        WallClock.sleepUntil(to.plus(GRACE));
        return cost;
    }

    private JsonObject figures(Cost cost, Verdict verdict, Instant begin, long clockMoved) {
        double herdSeconds = Duration.between(begin, verdict.last()).toNanos() / 1e9;
        JsonObject figures = new JsonObject();
        figures.addProperty("load", load.name());
        figures.addProperty("tasks", tasks);
        figures.addProperty("rate", load == Load.herd ? null : tasks);
        figures.addProperty("executions_per_s",
                rounded(verdict.starts() / (load == Load.herd ? herdSeconds : (double) seconds)));
        figures.addProperty("herd_s", load == Load.herd && verdict.missed() == 0 ? rounded(herdSeconds) : null);
        JsonObject lag = new JsonObject();
        lag.addProperty("p50", rounded(verdict.lag(0.5)));
        lag.addProperty("p99", rounded(verdict.lag(0.99)));
        lag.addProperty("p999", rounded(verdict.lag(0.999)));
        figures.add("lag_ms", lag);
        figures.addProperty("commits_per_execution", rounded(cost, cost.counters.commits()));
        figures.addProperty("statements_per_execution", rounded(cost, cost.counters.statements()));
        figures.addProperty("commit_statements_per_execution", rounded(cost, cost.counters.commitStatements()));
        figures.addProperty("due", verdict.due());
        figures.addProperty("missed", verdict.missed());
        figures.addProperty("doubled", verdict.doubled());
        figures.addProperty("early", verdict.early());
        figures.addProperty("clock_moved_us", clockMoved);
        return figures;
    }

    private static Double rounded(Cost cost, long count) {
        return cost.starts == 0 ? null : rounded((double) count / cost.starts);
    }

    private static Double rounded(Double value) {
        return value == null ? null : Math.round(value * 1000) / 1000.0;
    }
}
