package baton.peers;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/**
 * A journal held against its schedule. Missed: due in the window, and no start until the journal was closed. Doubled:
 * a second start for the same instant, whenever. Early: started before its instant. Starts, and the last of them: in
 * the window.
 */
record Verdict(int starts, int due, int missed, int doubled, int early, double[] lags, Instant last) {

    static Verdict of(Schedule schedule, Journal journal, Instant from, Instant to) {
        int turns = Math.toIntExact(Duration.between(schedule.begin(), to).dividedBy(schedule.period())) + 1;
        byte[][] started = new byte[schedule.tasks()][turns];
        double[] lags = new double[journal.size()];
        int starts = 0;
        int inTime = 0;
        int doubled = 0;
        int early = 0;
        Instant last = schedule.begin();
        for (int place = 0; place < journal.size(); ++place) {
            int task = journal.task(place);
            Instant due = journal.due(place);
            Instant began = journal.began(place);
            int turn = schedule.turn(task, due);
            if (turn < turns && started[task][turn] < Byte.MAX_VALUE) {
                doubled += started[task][turn]++ > 0 ? 1 : 0;
            }
            if (!began.isBefore(from) && began.isBefore(to)) {
                starts += 1;
                last = began.isAfter(last) ? began : last;
            }
            if (!due.isBefore(from) && due.isBefore(to)) {
                early += began.isBefore(due) ? 1 : 0;
                lags[inTime++] = Duration.between(due, began).toNanos() / 1e6;
            }
        }
        lags = Arrays.copyOf(lags, inTime);
        Arrays.sort(lags);
        return new Verdict(starts, dueIn(schedule, from, to, turns, null), dueIn(schedule, from, to, turns, started),
                doubled, early, lags, last);
    }

    /** How many instants lie in the window; with a record of starts, only those that have none. */
    private static int dueIn(Schedule schedule, Instant from, Instant to, int turns, byte[][] started) {
        int count = 0;
        for (int task = 0; task < schedule.tasks(); ++task) {
            for (int turn = 0; turn < turns; ++turn) {
                Instant instant = schedule.instant(task, turn);
                boolean inside = !instant.isBefore(from) && instant.isBefore(to);
                count += inside && (started == null || started[task][turn] == 0) ? 1 : 0;
            }
        }
        return count;
    }

    /** The lag in milliseconds that this share of the starts did not exceed (nearest rank); null without starts. */
    Double lag(double share) {
        if (lags.length == 0) {
            return null;
        }
        return lags[Math.max(0, (int) Math.ceil(share * lags.length) - 1)];
    }
}
