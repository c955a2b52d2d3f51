package baton.peers;

import java.time.Duration;
import java.time.Instant;

/**
 * When which task is due: task i at first(i), first(i) + period, and so on. Spread over the period, or all at once.
 * Whole milliseconds, since Quartz knows nothing finer.
 */
record Schedule(int tasks, Instant begin, Duration period, boolean spread) {

    Instant first(int task) {
        return spread ? begin.plusMillis(period.toMillis() * task / tasks) : begin;
    }

    /** Which of a task's instants this is, counted from 0. */
    int turn(int task, Instant due) {
        long millis = Duration.between(first(task), due).toMillis();
        if (!due.equals(first(task).plusMillis(millis)) || millis < 0 || millis % period.toMillis() != 0) {
            throw new IllegalStateException("task " + task + " ran for " + due + ", which is not on its schedule");
        }
        return Math.toIntExact(millis / period.toMillis());
    }

    Instant instant(int task, int turn) {
        return first(task).plus(period.multipliedBy(turn));
    }

    Schedule beginningAt(Instant other) {
        return new Schedule(tasks, other, period, spread);
    }
}
